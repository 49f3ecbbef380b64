import { type Logger, pino } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { LineBuffer } from "./line-buffer.ts";
import type { Redactor } from "./redactor.ts";

const STDERR = new LineBuffer(process.stderr);

/** A logger that writes JSON lines to stderr, with every secret that is known at that time redacted. */
export function createLog(
  level: string,
  redactor: Redactor,
  write: (line: string) => void = STDERR.write,
): Logger {
  const options = {
    level,
    base: { pid: process.pid, version: manifest.version },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return pino(options, { write: (line: string) => write(redactor.redact(line)) });
}
