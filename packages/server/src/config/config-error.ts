/** All faults of the settings together, each a sentence that names the setting as it was given. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [only = "", ...others] = faults;
    super(
      others.length === 0
        ? only
        : `The settings are not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}
