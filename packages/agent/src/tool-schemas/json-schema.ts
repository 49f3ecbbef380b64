/** An object of JSON Schema. What is in it is untrusted. */
export type Schema = Record<string, unknown>;

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a local reference (`#/$defs/x`) of a document names; undefined for another reference and for one that names nothing. */
export function resolveReference(root: Schema, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = referenceKey(part);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Schema)[key];
  }
  return found;
}

/** What a part of a reference, between two slashes, names. */
export function referenceKey(part: string): string {
  return decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
