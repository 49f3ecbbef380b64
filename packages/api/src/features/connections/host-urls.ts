import type { ConnectionAuth } from "@berth/contract";

type Api = "github" | "gitlab" | "gitea" | "bitbucket";

/** Addresses of the providers' own services. */
const SERVICES: Readonly<Record<Api, { url: string; api: string } | null>> = {
  github: { url: "https://github.com", api: "https://api.github.com" },
  gitlab: { url: "https://gitlab.com", api: "https://gitlab.com/api/v4" },
  gitea: null,
  bitbucket: { url: "https://bitbucket.org", api: "https://api.bitbucket.org/2.0" },
};

/** Where a host that somebody runs has its API. */
const PATHS: Readonly<Record<Api, string>> = {
  github: "/api/v3",
  gitlab: "/api/v4",
  gitea: "/api/v1",
  bitbucket: "/2.0",
};

/** Returns the address of the provider's own service; null if there is none. */
export function hostUrlOf(auth: ConnectionAuth): string | null {
  const api = apiOf(auth);
  return api === null ? null : (SERVICES[api]?.url ?? null);
}

/** Returns where a host has its API; null if the API is not known. */
export function apiUrlAt(url: string, auth: ConnectionAuth): string | null {
  const api = apiOf(auth);
  if (api === null) return null;
  const service = SERVICES[api];
  return url === service?.url ? service.api : `${url}${PATHS[api]}`;
}

function apiOf(auth: ConnectionAuth): Api | null {
  if (auth.type === "token") return auth.api;
  return auth.type === "github_app" ? "github" : auth.type;
}
