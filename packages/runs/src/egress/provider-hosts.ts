/** A repository provider that the installation is configured for. */
export interface ProviderHosts {
  /** With the port if it is not 443. */
  host: string;
  /** Where the provider's API is, if on another host or below a path: a URL, or a host alone. */
  api?: string;
}

/** Where a provider's API is, in the form in which hosts are compared: in lower case, without the usual port. */
export interface ApiLocation {
  host: string;
  /** Without a slash at the end; empty for the whole host. */
  path: string;
  url: string;
}

/** The location of the API, or null if the provider's own host has it. */
export function apiOf({ api }: Pick<ProviderHosts, "api">): ApiLocation | null {
  if (api === undefined) return null;
  const { host, origin, pathname } = new URL(api.includes("://") ? api : `https://${api}`);
  const path = pathname.replace(/\/$/, "");
  return { host, path, url: `${origin}${path}` };
}
