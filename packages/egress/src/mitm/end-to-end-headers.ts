/** For one connection alone, or said anew on the next. */
const hopByHop = new Set([
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

/** The headers that go on, each name once with all its values, without those that `left` or a Connection header name. */
export function endToEndHeaders(
  raw: readonly string[],
  left: readonly string[],
): [name: string, values: string[]][] {
  const headers = new Map<string, [string, string[]]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const known = headers.get(name.toLowerCase());
    if (known === undefined) headers.set(name.toLowerCase(), [name, [value]]);
    else known[1].push(value);
  }
  const named = headers.get("connection")?.[1].join(",").split(",") ?? [];
  const dropped = new Set([...hopByHop, ...left, ...named.map((name) => name.trim().toLowerCase())]);
  dropped.delete("host");
  return [...headers].flatMap(([name, header]) => (dropped.has(name) ? [] : [header]));
}
