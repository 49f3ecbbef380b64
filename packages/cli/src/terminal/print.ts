/** Standard output is data, standard error is talk. */

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One JSON document on one line; a stream of them is JSON lines. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function talk(line: string): void {
  process.stderr.write(`${line}\n`);
}
