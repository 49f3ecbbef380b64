import { errors } from "@berth/store/errors";

/**
 * Parses the query of a URL. A parameter whose name ends in `[]` is an array; any other may be given once.
 *
 * @throws errors.invalid for invalid percent-encoding, for a NUL and for a repeated parameter.
 */
export function parseQuery(url: string): Record<string, string | string[]> {
  const start = url.indexOf("?");
  const query: Record<string, string | string[]> = {};
  if (start < 0) return query;
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const [name, value] = decodePair(pair);
    const former = Object.hasOwn(query, name) ? query[name] : undefined;
    if (name === "__proto__" || name.includes("\0")) throw errors.invalid("Unknown field.", "query");
    // PostgreSQL rejects NUL even in a comparison.
    if (value.includes("\0"))
      throw errors.invalid("Text must not contain NUL characters.", name.slice(0, 200));
    if (name.endsWith("[]")) query[name] = [...(former ?? []), value];
    else if (former === undefined) query[name] = value;
    else throw errors.invalid(`Field '${name.slice(0, 200)}' must be given once.`, name.slice(0, 200));
  }
  return query;
}

function decodePair(pair: string): [string, string] {
  const split = pair.indexOf("=");
  const [name, value] = split < 0 ? [pair, ""] : [pair.slice(0, split), pair.slice(split + 1)];
  try {
    return [decode(name), decode(value)];
  } catch {
    throw errors.invalid("The query is not valid percent-encoded UTF-8.");
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
