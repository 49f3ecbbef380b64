/** Text that must not be in a log, wherever it comes from. */
export interface Redactor {
  /**
   * Adds a secret; the newest thousand are known, as far as there is room: the longest gives way first. Shorter ones than 6
   * characters are no secrets.
   */
  add(secret: string): void;
  redact(text: string): string;
}

const KNOWN = 1_000;
const SHORTEST = 6;
/** Characters of all forms of all secrets. A thousand tokens take a tenth of it. */
const ROOM = 32 * 1024 * 1024;

export function createRedactor(): Redactor {
  const secrets = new Map<string, readonly string[]>();
  let taken = 0;

  function forget(secret: string): void {
    taken -= lengthOf(secrets.get(secret) ?? []);
    secrets.delete(secret);
  }

  return {
    add(secret) {
      if (secret.length < SHORTEST) return;
      const forms = secrets.get(secret) ?? formsOf(secret);
      forget(secret);
      secrets.set(secret, forms);
      taken += lengthOf(forms);
      const [oldest] = secrets.keys();
      if (secrets.size > KNOWN && oldest !== undefined) forget(oldest);
      while (taken > ROOM) forget(longestOf(secrets.keys()));
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

function lengthOf(forms: readonly string[]): number {
  return forms.reduce((length, form) => length + form.length, 0);
}

function longestOf(secrets: Iterable<string>): string {
  let longest = "";
  for (const secret of secrets) if (secret.length > longest.length) longest = secret;
  return longest;
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
