import { createHash } from "node:crypto";
import type { Checkout } from "@berth/contract";
import { digestRefs, type RemoteRefs } from "@berth/sandbox";
import type { SessionRepository } from "../inputs/placement.ts";
import type { ListRefs } from "./snapshots/build-snapshot.ts";

/** A repository of a session, with the credential with which the service asks its host. */
export interface SnapshotRepository {
  /** uuid of the resource. */
  id: string;
  repository: SessionRepository;
  checkout: Checkout | null;
}

/** A repository with the refs that its host shows to the session's own credential. */
export interface ListedRepository extends SnapshotRepository {
  refs: RemoteRefs;
}

/** Returns a digest that is equal for all sessions with the same repositories at the same paths. */
export function digestRepositories(repositories: readonly SnapshotRepository[]): string {
  return digest(repositories, ({ repository, checkout }) => [repository.url, checkout]);
}

/** Returns a digest that is equal as long as the hosts show the same refs. */
export function digestListed(repositories: readonly ListedRepository[]): string {
  return digest(repositories, ({ refs }) => digestRefs(refs));
}

/** Lists the refs of the repositories. Returns null when a host does not list them to this credential. */
export async function listRepositories(
  repositories: readonly SnapshotRepository[],
  listRefs: ListRefs,
): Promise<ListedRepository[] | null> {
  const listed = await Promise.all(
    repositories.map(async (one) => {
      const refs = await listRefs(one.repository);
      return refs === null ? [] : [{ ...one, refs }];
    }),
  );
  return listed.every(({ length }) => length > 0) ? listed.flat() : null;
}

function digest<T extends SnapshotRepository>(repositories: readonly T[], part: (one: T) => unknown): string {
  const parts = repositories.map((one) => JSON.stringify([one.repository.mountPath, part(one)])).toSorted();
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
