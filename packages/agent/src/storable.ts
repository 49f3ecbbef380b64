/**
 * Text that every provider and database takes back: NUL and half a surrogate pair become U+FFFD. Applied once, before an
 * event is appended, since a history that a provider refuses could never go on.
 */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/** `storableText` for every string and key inside an object of JSON values. */
export function storableObject(object: object): Record<string, unknown> {
  const pairs = Object.entries(object).map(([key, value]) => [storableText(key), storableValue(value)]);
  return Object.fromEntries(pairs) as Record<string, unknown>;
}

function storableValue(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  return typeof value === "object" && value !== null ? storableObject(value) : value;
}
