/**
 * Sets the variables by which every command finds its service, from the inputs of a step, and removes
 * these, so that each stands in one place.
 */
export function takeServiceVariables(): void {
  for (const [input, variable] of [
    ["INPUT_URL", "BERTH_URL"],
    ["INPUT_TOKEN", "BERTH_TOKEN"],
    ["INPUT_CA_FILE", "BERTH_CA_FILE"],
  ] as const) {
    const value = process.env[input]?.trim();
    delete process.env[input];
    if (value) process.env[variable] = value;
  }
}
