import { createGuardedFetch, type GuardedFetch } from "@berth/egress";
import { AccountIdentities, providerOf, type RepositoryProviders } from "@berth/runs/credentials";
import type { CloneRepository, SessionRepository } from "@berth/runs/inputs";
import type { ListRefs } from "@berth/runs/repositories";
import {
  cloneRepository,
  createListRefs,
  type MissingLfs,
  type RepositoryAccess,
  repositoryEnvironment,
} from "@berth/sandbox";
import type { Config } from "../config/config.ts";
import type { HostedProvider } from "../config/git-settings.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";

/** Returns the environment variables that git and the CLIs of a session need for its repositories. */
export function repositoryVariables(
  repositories: readonly SessionRepository[],
  providers: readonly HostedProvider[],
): Record<string, string> {
  return repositoryEnvironment(repositories.map((repository) => accessTo(repository, providers)));
}

/**
 * Creates a function that lists the refs of repositories from the service itself, outside a sandbox. Hosts
 * with private addresses are blocked unless the operator allows them.
 */
export function createRefLister(config: Config, authorities: readonly string[]): ListRefs {
  const list = createListRefs(guardedFetch(config, authorities));
  return (repository, signal) => list(accessTo(repository, config.hostedProviders), signal);
}

/** Creates the lookup of the accounts of tokens at their hosts, under the same rules as `createRefLister`. */
export function createAccounts(
  config: Config,
  providers: RepositoryProviders,
  authorities: readonly string[],
): AccountIdentities {
  const fetch = guardedFetch(config, authorities);
  return new AccountIdentities(fetch, providers);
}

/** Creates the fetch for requests of the service itself to git hosts. */
export function guardedFetch(config: Config, authorities: readonly string[]): GuardedFetch {
  const allowPrivate = config.egressAllowPrivate;
  return createGuardedFetch({ allowPrivate, authorities, proxies: outgoingProxies(config) });
}

const POINTERS = "Its files of Git LFS are pointers,";

const LFS_NOTES: Record<MissingLfs, string> = {
  absent: `${POINTERS} because this system has no git-lfs.`,
  elsewhere: `${POINTERS} because their server is not at the repository's host.`,
  failed: `${POINTERS} at least some of them, because their server did not send them. 'git lfs pull' tries again.`,
};

/** Creates a function that clones inside the sandbox, with no credential but the repository's own. */
export function createCloner(providers: readonly HostedProvider[]): CloneRepository {
  return async (sandbox, { onProgress, overwrite = false, ...repository }) => {
    const environment = repositoryVariables([repository], providers);
    const result = await cloneRepository(sandbox, repository, { environment, onProgress, overwrite });
    if (result.ok) {
      return {
        ...(result.commit === "" ? {} : { commit: result.commit }),
        ...(result.missingLfs === null ? {} : { note: LFS_NOTES[result.missingLfs] }),
      };
    }
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

/** Returns the hosted providers of the settings, without their certificates. */
export function providersOf({ hostedProviders }: Config): RepositoryProviders {
  return hostedProviders.map(({ host, api, token_env }) => ({
    host,
    token_env,
    ...(api === null ? {} : { api }),
  }));
}
