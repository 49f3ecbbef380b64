export type TimedFile = { file: string; seconds: number };

const SHOWN = 10;

/**
 * Lists the files that took longest, so that a growing suite shows where.
 *
 * @param wallSeconds the time that all of them took together.
 */
export function slowest(files: readonly TimedFile[], wallSeconds: number): string {
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const lines = first.map(({ file, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${file}`);
  const sum = files.reduce((seconds, file) => seconds + file.seconds, 0);
  const atOnce = (sum / wallSeconds).toFixed(1);
  return [
    `${files.length} test processes in ${wallSeconds.toFixed(0)} s, ${atOnce} at a time. The slowest:`,
    ...lines,
  ].join("\n");
}
