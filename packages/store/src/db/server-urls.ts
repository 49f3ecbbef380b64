/**
 * The URLs of the servers that a URL names: one for each of its hosts, which are separated by commas, each with a port or not, as
 * libpq has it.
 */
export function serverUrls(url: string): string[] {
  const [, before = "", hosts = "", after = ""] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}

/** A server as messages say it: its host and port, or the directory of its socket. */
export function serverName(url: string): string {
  const parsed = URL.parse(url);
  const query = parsed?.searchParams;
  const host = query?.get("host") || decodeURIComponent(parsed?.hostname ?? "") || "localhost";
  return `${host}:${query?.get("port") || parsed?.port || 5432}`;
}
