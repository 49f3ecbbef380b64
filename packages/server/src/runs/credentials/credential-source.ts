import { singleFlight } from "@berth/concurrency";
import type { CredentialSource, SandboxCredential } from "@berth/egress";
import type { ProviderHosts } from "../egress/egress-policy.ts";
import { isRepository, readResources } from "../inputs/resource-store.ts";
import { openRepository } from "../inputs/session-repository.ts";
import { readKeeping, readVaultVariables } from "./credential-store.ts";
import { placeholderOf } from "./placeholder.ts";
import type { InsideParts } from "./repository-inside.ts";
import { repositoryTargets } from "./repository-targets.ts";
import { openVaultVariable } from "./vault-variable.ts";

export interface SourceParts extends InsideParts {
  providers: readonly ProviderHosts[];
}

/**
 * The secrets of a session that are kept outside of its sandbox: those of its vaults always, those of its repositories where
 * its environment says so. Asked for each request, so that a new one is in force, and one that is archived is not, from the
 * next request on.
 */
export function createCredentialSource(parts: SourceParts, sessionId: string): CredentialSource {
  const { db, secrets, providers } = parts;
  // However many connections a sandbox opens at once, the database is asked no more than once at a time.
  return singleFlight<void, SandboxCredential[]>(
    async () => {
      const keeping = await readKeeping(db.read, sessionId);
      if (keeping === null) return [];
      const { mode, seed, hasVaults } = keeping;
      const [vaults, resources] = await Promise.all([
        hasVaults ? readVaultVariables(db.read, sessionId) : [],
        mode === "proxy" ? readResources(db.read, sessionId) : Promise.resolve([]),
      ]);
      const variables = vaults.map((row) => openVaultVariable(secrets, seed, row).credential);
      const repositories = resources.filter(isRepository).flatMap((row): SandboxCredential[] => {
        const repository = openRepository(secrets, row);
        if (repository.secret === null) return [];
        const targets = repositoryTargets(repository, providers);
        return [
          { placeholder: placeholderOf(seed, row.id), value: repository.secret, targets, anywhere: false },
        ];
      });
      return [...variables, ...repositories];
    },
    { joinSameTick: true },
  );
}
