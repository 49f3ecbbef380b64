import type { CredentialTarget } from "@berth/egress";
import type { RepositoryProvider } from "@berth/sandbox";
import { apiOf, type ProviderHosts } from "../egress/provider-hosts.ts";
import type { SessionRepository } from "../inputs/placement.ts";

/** The repository providers that the installation is configured for. */
export type RepositoryProviders = readonly (ProviderHosts & RepositoryProvider)[];

/** Returns the provider whose CLI and API get the repository's secret, or null when there is none. */
export function providerOf<Provider extends { host: string }>(
  { type, url }: Pick<SessionRepository, "type" | "url">,
  providers: readonly Provider[],
): Provider | null {
  const { host } = new URL(url);
  return type === "hosted_repository" ? (providers.find((known) => known.host === host) ?? null) : null;
}

/**
 * Returns where a repository's secret may be sent: to the repository itself and, for a hosted one, to its
 * provider's host and API. The provider accepts the token for other repositories too, and its API may be on
 * another host. If the provider is not configured, the secret may be sent to the repository and to the API on
 * its host.
 */
export function repositoryTargets(
  repository: Pick<SessionRepository, "type" | "url">,
  providers: readonly ProviderHosts[],
): CredentialTarget[] {
  const { host, protocol, pathname } = new URL(repository.url);
  const path = pathname.replace(/\/$/, "").replace(/\.git$/, "");
  const itself: CredentialTarget = { host, path, plaintext: protocol === "http:" };
  if (repository.type !== "hosted_repository") return [itself];
  const provider = providerOf(repository, providers);
  if (provider === null) return [itself, { host, path: "/api" }];
  const api = apiOf(provider);
  if (api === null) return [{ host }];
  return [{ host }, api.path === "" ? { host: api.host } : { host: api.host, path: api.path }];
}
