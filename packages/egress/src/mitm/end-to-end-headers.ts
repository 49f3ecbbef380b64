/** Headers that apply to one connection only, or are written anew for the next. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Returns the headers to forward, each name once with all its values. Leaves out those in `omitted` and those
 * named in a Connection header.
 */
export function endToEndHeaders(
  raw: readonly string[],
  omitted: readonly string[],
): [name: string, values: string[]][] {
  const headers = new Map<string, [string, string[]]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const known = headers.get(name.toLowerCase());
    if (known === undefined) headers.set(name.toLowerCase(), [name, [value]]);
    else known[1].push(value);
  }
  const named = headers.get("connection")?.[1].join(",").split(",") ?? [];
  const dropped = new Set([...HOP_BY_HOP, ...omitted, ...named.map((name) => name.trim().toLowerCase())]);
  dropped.delete("host");
  return [...headers].flatMap(([name, header]) => (dropped.has(name) ? [] : [header]));
}
