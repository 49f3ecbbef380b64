/**
 * Splits a URL with several comma-separated hosts, each with an optional port, as in libpq. Returns one URL
 * for each host.
 */
export function serverUrls(url: string): string[] {
  const [, before = "", hosts = "", after = ""] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}

/** Returns a server's name for messages: host and port, or the directory of its socket. */
export function serverName(url: string): string {
  const parsed = URL.parse(url);
  const query = parsed?.searchParams;
  const host = query?.get("host") || decodeURIComponent(parsed?.hostname ?? "") || "localhost";
  return `${host}:${query?.get("port") || parsed?.port || 5432}`;
}
