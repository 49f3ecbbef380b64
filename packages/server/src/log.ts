import { type Logger, pino } from "pino";

/** Text that must not be in a log, wherever it comes from. */
export interface Redactor {
  /** Adds a secret; the newest thousand are known. Shorter ones than 6 characters are no secrets. */
  add(secret: string): void;
  redact(text: string): string;
}

const KNOWN = 1_000;
const SHORTEST = 6;

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  return {
    add(secret) {
      if (secret.length < SHORTEST) return;
      secrets.delete(secret);
      secrets.add(secret);
      const [oldest] = secrets;
      if (secrets.size > KNOWN && oldest !== undefined) secrets.delete(oldest);
    },
    redact(text) {
      let redacted = text;
      for (const secret of secrets) {
        for (const form of new Set([
          secret,
          JSON.stringify(secret).slice(1, -1),
          encodeURIComponent(secret),
        ])) {
          if (redacted.includes(form)) redacted = redacted.replaceAll(form, "[redacted]");
        }
      }
      return redacted;
    },
  };
}

/** JSON lines on stderr, each without the secrets that are known when it is written. */
export function createLog(
  level: string,
  redactor: Redactor,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, { write: (line: string) => write(redactor.redact(line)) });
}
