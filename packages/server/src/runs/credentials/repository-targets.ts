import type { CredentialTarget } from "@berth/egress";
import type { ProviderHosts } from "../egress/egress-policy.ts";
import type { SessionRepository } from "../inputs/session-repository.ts";

/**
 * Where a repository's secret goes: to the repository itself and, where that is hosted by a provider, to its API, which answers
 * at a host of its own or below `/api`.
 */
export function repositoryTargets(
  { type, url }: SessionRepository,
  providers: readonly ProviderHosts[],
): CredentialTarget[] {
  const { host, protocol, pathname } = new URL(url);
  const path = pathname.replace(/\/$/, "").replace(/\.git$/, "");
  const itself: CredentialTarget = { host, path, plaintext: protocol === "http:" };
  if (type !== "hosted_repository") return [itself];
  const api = providers.find((provider) => provider.host === host)?.api;
  return [itself, { host, path: "/api" }, ...(api === undefined ? [] : [apiTarget(api)])];
}

/** An address, or a host alone. */
function apiTarget(api: string): CredentialTarget {
  const { host, pathname } = new URL(api.includes("://") ? api : `https://${api}`);
  const path = pathname.replace(/\/$/, "");
  return path === "" ? { host } : { host, path };
}
