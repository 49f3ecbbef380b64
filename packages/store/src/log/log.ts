import { type Logger, type LoggerOptions, pino, stdSerializers } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { LineBuffer } from "./line-buffer.ts";
import type { Redactor } from "./redactor.ts";

const STDERR = new LineBuffer(process.stderr);

/** Fields with text that the service did not write: from errors, servers, programs and sandboxes. */
const OUTSIDE = ["error", "reason", "why", "cause", "postgres"];

/**
 * Creates a logger that writes JSON lines to stderr. Every secret that is known at the time is redacted from
 * outside text, before it becomes JSON. Outside text is in `err`, in the fields of `OUTSIDE`, and in a
 * message that is given as the field `outside`. Nothing else is redacted, so a secret that somebody chose
 * cannot change a line's own fields and words.
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

/** Redacts every string in a value, including names of fields. */
function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((one) => redacted(one, redactor));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = value instanceof Error ? stdSerializers.err(value) : value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [redactor.redact(name), redacted(one, redactor)]),
  );
}
