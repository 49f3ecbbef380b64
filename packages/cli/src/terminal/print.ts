export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one JSON document on one line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints a message for people to standard error; standard output is only for data. */
export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`);
}
