import type { RemoteRefs } from "@berth/sandbox";
import type { SessionCredentials } from "../../credentials/session-credentials.ts";
import {
  isPending,
  isRepository,
  type RunRepository,
  type RunResource,
} from "../../inputs/resource-store.ts";
import type { RunSession } from "../../inputs/session-inputs-store.ts";
import { PrefetchedRefs } from "./prefetched-refs.ts";
import type { RepositorySnapshots } from "./repository-snapshots.ts";

interface PrefetchDeps {
  credentials: Pick<SessionCredentials, "unsealedRepository" | "withToken">;
  snapshots: RepositorySnapshots;
}

/** Starts to request the refs of the repositories that are not in place yet from their hosts. */
export function prefetchRefs(
  { credentials, snapshots }: PrefetchDeps,
  { id: sessionId, organizationId }: RunSession,
  resources: readonly RunResource[],
): PrefetchedRefs {
  const refsOf = async (one: RunRepository): Promise<RemoteRefs | null> => {
    try {
      const ready = await credentials.withToken(one);
      if ("fault" in ready) return null;
      return await snapshots.remoteRefs({ sessionId, organizationId }, credentials.unsealedRepository(ready));
    } catch {
      // Problems with the repository are reported when it is put in place.
      return null;
    }
  };
  const prefetched = new PrefetchedRefs();
  for (const one of resources.filter(isRepository).filter(isPending)) prefetched.add(one.id, refsOf(one));
  return prefetched;
}
