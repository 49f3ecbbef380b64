import { type Logger, pino } from "pino";
import type { Redactor } from "./redactor.ts";

/** JSON lines on stderr, each without the secrets that are known when it is written. */
export function createLog(
  level: string,
  redactor: Redactor,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line: string) => write(redactor.redact(line)) });
}
