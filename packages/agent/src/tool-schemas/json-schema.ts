/** A JSON Schema that is an object. Its content is untrusted. */
export type Schema = Record<string, unknown>;

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Resolves a local reference (`#/$defs/x`) of a document; undefined for another or a dead reference. */
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

/** Decodes the part of a reference between two slashes. */
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
