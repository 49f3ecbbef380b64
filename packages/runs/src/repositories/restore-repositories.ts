import { formatId } from "@berth/contract";
import {
  discardClone,
  refreshClone,
  resolveCheckout,
  type Sandbox,
  SandboxError,
  takeOverClone,
} from "@berth/sandbox";
import type { SessionRepository } from "../inputs/placement.ts";
import type { ListedRepository } from "./list-repositories.ts";

export interface RestoreTarget {
  sandbox: Pick<Sandbox, "run">;
  /** Returns the repository as git in the sandbox reaches it, with the session's own credential. */
  inside(id: string): Promise<SessionRepository>;
  variables(repositories: readonly SessionRepository[]): Record<string, string>;
  /** Limits how many run at once. */
  inSlot<T>(work: () => Promise<T>): Promise<T>;
}

/** The commits of the repositories that are equal to a clone, by the uuids of the resources. */
export type RestoredRepositories = ReadonlyMap<string, { commit: string }>;

/**
 * Brings the repositories on a disk that was made from a snapshot to the state of new clones with the
 * session's own credential. A repository for which that fails is removed from the disk, so that it is cloned,
 * which also reports what is wrong.
 *
 * @throws SandboxError when such a repository cannot be removed, or the sandbox has ended.
 */
export async function restoreRepositories(
  target: RestoreTarget,
  repositories: readonly ListedRepository[],
): Promise<RestoredRepositories> {
  const restored = await Promise.all(
    repositories.map(async (one) => [one.id, await target.inSlot(() => restore(target, one))] as const),
  );
  return new Map(restored.flatMap(([id, placed]) => (placed === null ? [] : [[id, placed]])));
}

async function restore(target: RestoreTarget, one: ListedRepository): Promise<{ commit: string } | null> {
  const { sandbox } = target;
  const { mountPath } = one.repository;
  const resolved = resolveCheckout(one.refs, one.checkout);
  const fresh = resolved && (await refresh(target, one, resolved).catch(() => null));
  if (fresh !== null) return fresh;
  if (await discardClone(sandbox, mountPath)) return null;
  throw new SandboxError(
    `the files that a snapshot had for ${formatId("session_resource", one.id)} could not be removed`,
  );
}

async function refresh(
  { sandbox, inside, variables }: RestoreTarget,
  { id, repository }: ListedRepository,
  resolved: NonNullable<ReturnType<typeof resolveCheckout>>,
): Promise<{ commit: string } | null> {
  const { mountPath } = repository;
  if (!(await takeOverClone(sandbox, mountPath))) return null;
  const environment = variables([await inside(id)]);
  return await refreshClone(sandbox, repository, resolved, { environment });
}
