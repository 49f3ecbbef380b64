import { type Logger, type LoggerOptions, pino, stdSerializers } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { LineBuffer } from "./line-buffer.ts";
import type { Redactor } from "./redactor.ts";

const STDERR = new LineBuffer(process.stderr);

/** Fields with text that the service did not word: of errors, servers, programs and sandboxes. */
const OUTSIDE = ["error", "reason", "why", "cause", "postgres"];

/**
 * A logger that writes JSON lines to stderr. In text from outside, and there alone, every secret that is known at that time is
 * redacted, before it becomes JSON: a secret that somebody chose changes nothing of a line's own fields and words. Text from outside
 * is what `err` and the fields of `OUTSIDE` have, and a message that is given as the field `outside`.
 */
export function createLog(
  level: string,
  redactor: Redactor,
  write: (line: string) => void = STDERR.write,
): Logger {
  const masked = (value: unknown): unknown => redacted(value, redactor);
  const options: LoggerOptions = {
    level,
    base: { pid: process.pid, version: manifest.version },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      log: (fields) => {
        if (typeof fields.outside !== "string") return fields;
        const { outside, ...rest } = fields;
        return { ...rest, msg: redactor.redact(outside) };
      },
    },
    serializers: {
      ...Object.fromEntries(OUTSIDE.map((field) => [field, masked])),
      err: (error: Error) => masked(stdSerializers.err(error)),
    },
  };
  return pino(options, { write });
}

/** A value with every string in it redacted, names of fields too. */
function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((one) => redacted(one, redactor));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = value instanceof Error ? stdSerializers.err(value) : value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [redactor.redact(name), redacted(one, redactor)]),
  );
}
