/**
 * Shortens a text to about `maxLength` characters: its start and its end, with a line between them that
 * counts what is left out.
 */
export function truncateMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const half = Math.max(0, Math.floor((maxLength - 60) / 2));
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(text.length - half).toWellFormed();
  return `${head}\n[… ${text.length - 2 * half} characters left out …]\n${tail}`;
}

/**
 * Replaces NUL and lone surrogates by U+FFFD, since providers and PostgreSQL reject them. Applied before an
 * event is appended: a session whose history is rejected could never continue.
 */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/** Applies `storableText` to every string and key inside an object of JSON values. */
export function storableObject(object: object): Record<string, unknown> {
  const pairs = Object.entries(object).map(([key, value]) => [storableText(key), storableValue(value)]);
  return Object.fromEntries(pairs) as Record<string, unknown>;
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  return typeof value === "object" && value !== null ? storableObject(value) : value;
}
