import { type CST, isMap, isScalar, Parser, parseDocument } from "yaml";

/** Nested mappings and lists. */
const MAX_DEPTH = 32;

/**
 * Parses untrusted YAML in time proportional to its length. Null when it is invalid, has aliases, is nested too deeply, or has
 * a duplicate field.
 */
export function parseFrontmatter(text: string): { value: unknown } | null {
  try {
    // The library composes recursively, and with `uniqueKeys` compares each key of a mapping with all before it.
    if (isDeep(text)) return null;
    const document = parseDocument(text, { schema: "core", uniqueKeys: false, logLevel: "error" });
    if (document.errors.length > 0) return null;
    if (isMap(document.contents)) {
      const keys = document.contents.items.map(({ key }) => (isScalar(key) ? key.value : key));
      if (new Set(keys).size < keys.length) return null;
    }
    return { value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return null;
  }
}

/** Inspects the syntax tree level by level, before anything is composed from it. */
function isDeep(text: string): boolean {
  let level: CST.Token[] = [...new Parser().parse(text)];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(insideOf);
  }
  return false;
}

function insideOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part != null));
}
