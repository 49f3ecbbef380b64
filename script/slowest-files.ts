export type TimedFile = { file: string; seconds: number };

const SHOWN = 10;

/** Names the files that took longest, so that a suite that grows shows where. */
export function slowest(files: readonly TimedFile[]): string {
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const lines = first.map(({ file, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${file}`);
  return ["Slowest files:", ...lines].join("\n");
}
