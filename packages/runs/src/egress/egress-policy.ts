import type { EgressPolicy } from "@berth/egress";
import { PACKAGE_HOSTS } from "@berth/sandbox";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { apiOf, type ProviderHosts } from "./provider-hosts.ts";

/**
 * Hosts of Git LFS files for repository hosts that keep them elsewhere. Requests there are signed, and do not
 * carry the repository's token.
 */
export const LFS_HOSTS: Readonly<Record<string, readonly string[]>> = {
  "github.com": ["github-cloud.githubusercontent.com", "github-cloud.s3.amazonaws.com"],
};

/**
 * Returns which hosts the sandbox may reach: those of the session's repositories and of their APIs, and those
 * that its environment allows.
 */
export function egressPolicy(
  session: Pick<RunSession, "networking">,
  resources: readonly RunResource[],
  providers: readonly ProviderHosts[],
): EgressPolicy {
  const hosts = new Set<string>();
  for (const resource of resources) {
    if (!isRepository(resource)) continue;
    const { host } = new URL(resource.url);
    for (const one of [host, ...(LFS_HOSTS[host] ?? [])]) hosts.add(one);
    if (resource.type !== "hosted_repository") continue;
    const provider = providers.find((known) => known.host === host);
    const api = provider === undefined ? null : apiOf(provider);
    if (api !== null) hosts.add(api.host);
  }
  if (session.networking.type === "unrestricted") return { mode: "unrestricted", hosts: [...hosts] };
  for (const host of session.networking.allowed_hosts) hosts.add(host);
  if (session.networking.allow_package_managers)
    for (const host of Object.values(PACKAGE_HOSTS).flat()) hosts.add(host);
  return { mode: "limited", hosts: [...hosts] };
}
