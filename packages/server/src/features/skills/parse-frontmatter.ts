import { type CST, isMap, isScalar, Parser, parseDocument } from "yaml";

/** Of mappings and lists in one another. */
const DEEPEST = 32;

/**
 * What YAML from a stranger says, in time that grows with its length; null when it is not valid, has aliases, is nested
 * very deep, or has a field twice.
 */
export function parseFrontmatter(text: string): { value: unknown } | null {
  try {
    // The library composes by recursion, and compares each key of a mapping with all before it where it is let.
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

/** Looks at what is written, level by level, before anything is made of it. */
function isDeep(text: string): boolean {
  let level: CST.Token[] = [...new Parser().parse(text)];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap(insideOf);
  }
  return false;
}

function insideOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part != null));
}
