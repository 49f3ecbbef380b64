import { type Logger, pino } from "pino";
import type { Redactor } from "./redactor.ts";

/** A logger that writes JSON lines to stderr, with every secret that is known at that time redacted. */
export function createLog(
  level: string,
  redactor: Redactor,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line: string) => write(redactor.redact(line)) });
}
