import { isGuessable } from "@berth/egress/maskable-secret";

/** Removes known secrets from text before it is logged. */
export interface Redactor {
  /**
   * Adds a secret, unless it can be guessed: a secret that somebody chose must not hide what others log. The
   * newest thousand are kept, within `MAX_CHARACTERS`; beyond that, the longest is evicted first.
   */
  add(secret: string): void;
  redact(text: string): string;
}

const MAX_SECRETS = 1_000;
/** Number of leading characters by which a form is looked up. No form is shorter. */
const BEGINNING = 6;
/** Maximum number of characters in all encodings of all secrets. A thousand tokens take a tenth of it. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Creates a redactor without secrets. */
export function createRedactor(): Redactor {
  const secrets = new Map<string, readonly string[]>();
  /**
   * Number of forms that begin with these characters. A line is scanned once, however many secrets there are.
   */
  const beginnings = new Map<string, number>();
  let characters = 0;

  function count(forms: readonly string[], by: 1 | -1): void {
    characters += by * lengthOf(forms);
    for (const form of forms) {
      const beginning = form.slice(0, BEGINNING);
      const left = (beginnings.get(beginning) ?? 0) + by;
      if (left === 0) beginnings.delete(beginning);
      else beginnings.set(beginning, left);
    }
  }

  function evict(secret: string): void {
    count(secrets.get(secret) ?? [], -1);
    secrets.delete(secret);
  }

  function mayContainOne(text: string): boolean {
    for (let at = 0; at <= text.length - BEGINNING; at++)
      if (beginnings.has(text.slice(at, at + BEGINNING))) return true;
    return false;
  }

  return {
    add(secret) {
      if (isGuessable(secret)) return;
      const forms = secrets.get(secret) ?? formsOf(secret);
      evict(secret);
      secrets.set(secret, forms);
      count(forms, 1);
      const [oldest] = secrets.keys();
      if (secrets.size > MAX_SECRETS && oldest !== undefined) evict(oldest);
      while (characters > MAX_CHARACTERS) evict(longestOf(secrets.keys()));
    },
    redact(text) {
      if (beginnings.size === 0 || !mayContainOne(text)) return text;
      let redacted = text;
      for (const form of [...secrets.values()].flat()) {
        if (redacted.includes(form)) redacted = redacted.replaceAll(form, "[redacted]");
      }
      return redacted;
    },
  };
}

function lengthOf(forms: readonly string[]): number {
  return forms.reduce((length, form) => length + form.length, 0);
}

function longestOf(secrets: Iterable<string>): string {
  let longest = "";
  for (const secret of secrets) if (secret.length > longest.length) longest = secret;
  return longest;
}

/** Returns the encodings of a secret: plain, JSON, URL, hexadecimal, and base64 at each alignment. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // Characters at the ends also contain bits of the surrounding text, so they vary.
    const form = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const hex = bytes.toString("hex");
  const plain = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return [...new Set([...plain, hex, hex.toUpperCase(), ...encoded])];
}
