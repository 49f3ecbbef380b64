import { createGuardedFetch } from "@berth/egress";
import { cloneRepository, listRefs, type RepositoryAccess, repositoryEnvironment } from "@berth/sandbox";
import type { Config } from "../config/config.ts";
import type { HostedProvider } from "../config/provider-settings.ts";
import { providerOf } from "../runs/credentials/repository-targets.ts";
import type { CloneRepository, SessionRepository } from "../runs/inputs/placement.ts";
import type { ListRefs } from "../runs/snapshots/build-snapshot.ts";

/** The variables by which a session's commands reach its repositories. */
export function repositoryVariables(
  repositories: readonly SessionRepository[],
  providers: readonly HostedProvider[],
): Record<string, string> {
  return repositoryEnvironment(repositories.map((repository) => accessTo(repository, providers)));
}

/** What hosts of repositories show, asked by the service itself where the operator's settings let it. */
export function refLister(config: Config, authorities: readonly string[]): ListRefs {
  const fetch = createGuardedFetch({ allowPrivate: config.egressAllowPrivate, authorities });
  return (repository, signal) =>
    listRefs(accessTo(repository, config.hostedProviders), { fetch, ...(signal && { signal }) });
}

/** Clones as the sandbox's workspace does, with the repository's own credential alone. */
export function clonerWith(providers: readonly HostedProvider[]): CloneRepository {
  return async (sandbox, { onProgress, overwrite = false, ...repository }) => {
    const environment = repositoryVariables([repository], providers);
    const result = await cloneRepository(sandbox, repository, { environment, onProgress, overwrite });
    if (result.ok) return result.commit === "" ? {} : { commit: result.commit };
    return result.type === "stopped" ? "later" : { fault: result };
  };
}

function accessTo(repository: SessionRepository, providers: readonly HostedProvider[]): RepositoryAccess {
  const { url, username, secret } = repository;
  return {
    url,
    ...(username === null ? {} : { username }),
    secret,
    provider: providerOf(repository, providers),
  };
}
