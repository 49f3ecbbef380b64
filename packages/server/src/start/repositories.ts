import { cloneRepository, type RepositoryAccess, repositoryEnvironment } from "@berth/sandbox";
import type { HostedProvider } from "../config-providers.ts";
import type { CloneRepository } from "../runs/clone-repository.ts";

interface Repository {
  url: string;
  token: string | null;
}

/** The variables by which a session's commands reach its repositories. */
export function repositoryVariables(
  repositories: readonly Repository[],
  providers: readonly HostedProvider[],
): Record<string, string> {
  return repositoryEnvironment(repositories.map((repository) => accessTo(repository, providers)));
}

/** Clones as the sandbox's workspace does, with the repository's own token alone. */
export function clonerWith(providers: readonly HostedProvider[]): CloneRepository {
  return async (sandbox, { onProgress, ...repository }) => {
    const environment = repositoryVariables([repository], providers);
    const result = await cloneRepository(sandbox, repository, { environment, onProgress });
    if (result.ok) return result.commit === "" ? {} : { commit: result.commit };
    return result.type === "stopped" ? "later" : { fault: result };
  };
}

function accessTo({ url, token }: Repository, providers: readonly HostedProvider[]): RepositoryAccess {
  const { host } = new URL(url);
  return { url, secret: token, provider: providers.find((provider) => provider.host === host) ?? null };
}
