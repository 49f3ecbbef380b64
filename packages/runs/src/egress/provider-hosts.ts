/** A repository provider that the installation is configured for. */
export interface ProviderHosts {
  /** The host, with the port if it is not 443. */
  host: string;
  /** The provider's API, if it is on another host or below a path: a URL, or a host alone. */
  api?: string;
}

/** The location of a provider's API, in the compared form: in lower case, without the default port. */
export interface ApiLocation {
  host: string;
  /** The path without a slash at the end; empty for the whole host. */
  path: string;
  url: string;
}

/** Returns the location of the API, or null if it is on the provider's own host. */
export function apiOf({ api }: Pick<ProviderHosts, "api">): ApiLocation | null {
  if (api === undefined) return null;
  const { host, origin, pathname } = new URL(api.includes("://") ? api : `https://${api}`);
  const path = pathname.replace(/\/$/, "");
  return { host, path, url: `${origin}${path}` };
}
