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
  const secrets = new Map<string, readonly string[]>();
  return {
    add(secret) {
      if (secret.length < SHORTEST) return;
      const forms = secrets.get(secret) ?? formsOf(secret);
      secrets.delete(secret);
      secrets.set(secret, forms);
      const [oldest] = secrets.keys();
      if (secrets.size > KNOWN && oldest !== undefined) secrets.delete(oldest);
    },
    redact(text) {
      let redacted = text;
      for (const form of [...secrets.values()].flat()) {
        if (redacted.includes(form)) redacted = redacted.replaceAll(form, "[redacted]");
      }
      return redacted;
    },
  };
}

/** How a secret may stand in a text: as it is, in JSON, in a URL, in hexadecimal, and in base64 wherever it begins there. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // Characters that also hold bits of what stands before or after the secret vary with it.
    const form = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const hex = bytes.toString("hex");
  const plain = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return [...new Set([...plain, hex, hex.toUpperCase(), ...encoded])];
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
