/**
 * Returns a URL with the parameters of its path filled in and a query appended. Arrays become
 * `name[]=a&name[]=b`, objects `name[key]=value`, dates ISO 8601; undefined values are left out.
 */
export function urlOf(
  baseURL: string,
  path: string,
  params: Record<string, string>,
  query: object = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => pairs(name, value)));
  return `${baseURL.replace(/\/+$/, "")}${filled}${search.size === 0 ? "" : `?${search}`}`;
}

/** Encodes a path segment. Rejects empty and dot segments, which would change the path. */
function segment(name: string, value: string | undefined): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`'${name}' must be an id.`);
  }
  return encodeURIComponent(value);
}

function pairs(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item) => [`${name}[]`, String(item)]);
  if (value instanceof Date) return [[name, value.toISOString()]];
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([key, inner]) => pairs(`${name}[${key}]`, inner));
  }
  return [[name, String(value)]];
}
