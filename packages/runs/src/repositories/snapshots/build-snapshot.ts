import { statfs } from "node:fs/promises";
import { type Checkout, newUuid } from "@berth/contract";
import {
  buildSnapshot,
  digestRefs,
  MIRROR_MOUNT_PATH,
  mirrorRepository,
  type RemoteRefs,
  type ResolvedCheckout,
  resolveCheckout,
  type Sandbox,
  type SandboxEngine,
  type SandboxSpec,
} from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { proxiedRepository } from "../../credentials/session-credentials.ts";
import { LFS_HOSTS } from "../../egress/egress-policy.ts";
import type { SessionRepository } from "../../inputs/placement.ts";
import type { SetupBase } from "./build-setup.ts";
import { type Mirror, markMirrored } from "./mirror-store.ts";
import {
  createPlainDisk,
  diskOf,
  mountSource,
  removeDisk,
  type SizeLimits,
  type SnapshotDirectory,
  sizeLimits,
} from "./snapshot-directory.ts";
import { checkoutName, findSnapshot, insertSnapshot, type SnapshotKey } from "./snapshot-store.ts";

/**
 * Asks a repository's host for the refs that its credential may read. Returns null when they are not
 * available; never rejects.
 */
export type ListRefs = (repository: SessionRepository, signal?: AbortSignal) => Promise<RemoteRefs | null>;

export interface BuildDeps {
  db: { write: Queryable };
  engine: Pick<SandboxEngine, "open">;
  directory: SnapshotDirectory;
  /** The most bytes of all mirrors and snapshots together; one may take a quarter of it. */
  maxBytes: number;
  listRefs: ListRefs;
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
}

/** A repository as a session has it, with the credential that may read it. */
export interface BuildRequest {
  repository: SessionRepository;
  checkout: Checkout | null;
}

/** The result of a build. `reason` is a clause for the operator. */
export type BuildResult =
  | { state: "built"; snapshot: SetupBase; bytes: number }
  | { state: "exists"; snapshot: SetupBase }
  /** The host does not list the repository's refs, which may be transient. */
  | { state: "unlisted" }
  | { state: "impossible"; reason: string };

const TIMEOUT_MS = 15 * 60_000;
const GIBIBYTE = 1024 ** 3;
/** Low, since sessions run beside it. */
const LIMITS = { memoryBytes: 2 * GIBIBYTE, pids: 128, cpus: 1, diskBytes: null };

/**
 * Builds the snapshot of a repository as its host shows it now. The mirror is updated with the session's
 * credential, in a sandbox that reaches that host alone and has a placeholder for the secret. The snapshot is
 * a clone of the mirror, made in another sandbox that reaches nothing and has no secret. An unfinished
 * snapshot is deleted. Only one build at a time may use a mirror.
 *
 * @param onStart called with the id of the snapshot before anything of it is on the disk.
 */
export async function buildRepositorySnapshot(
  deps: BuildDeps,
  mirror: Mirror,
  { repository, checkout }: BuildRequest,
  { signal, onStart }: { signal: AbortSignal; onStart(id: string): void },
): Promise<BuildResult> {
  const listed = await deps.listRefs(repository, signal);
  if (listed === null) return { state: "unlisted" };
  const wanted = resolveCheckout(listed, checkout);
  if (wanted === null) return impossible("its HEAD or the checkout names none of its branches");
  const present = await find(deps, mirror, listed, checkout);
  if (present !== null) return { state: "exists", snapshot: present };
  const limits = sizeLimits(deps.maxBytes, await statfs(deps.directory.path));
  const mirrored = await updateMirror(deps, mirror, repository, listed, wanted, limits, signal);
  if ("reason" in mirrored) return impossible(mirrored.reason);
  const resolved = resolveCheckout(mirrored.refs, checkout);
  if (resolved === null) return impossible("its HEAD or the checkout no longer names one of its branches");
  const newer = await find(deps, mirror, mirrored.refs, checkout);
  if (newer !== null) return { state: "exists", snapshot: newer };

  const id = newUuid();
  onStart(id);
  let isStored = false;
  try {
    const built = await cloneMirror(deps, mirror, { id, url: repository.url, resolved, limits, signal });
    if ("reason" in built) return impossible(built.reason);
    const { commit, bytes } = built;
    const snapshot = { ...keyOf(mirror, mirrored.refs, resolved), id, commit };
    await insertSnapshot(deps.db.write, { ...snapshot, bytes });
    isStored = true;
    return { state: "built", snapshot, bytes };
  } finally {
    if (!isStored) await removeDisk(deps.directory, "snapshots", id);
  }
}

function impossible(reason: string): BuildResult {
  return { state: "impossible", reason };
}

/** Returns the plain snapshot of this checkout with these refs, or null when there is none. */
async function find(
  { db }: BuildDeps,
  mirror: Mirror,
  refs: RemoteRefs,
  checkout: Checkout | null,
): Promise<SetupBase | null> {
  const resolved = resolveCheckout(refs, checkout);
  if (resolved === null) return null;
  const key = keyOf(mirror, refs, resolved);
  const found = await findSnapshot(db.write, key);
  return found && { ...key, ...found };
}

function keyOf({ id }: Mirror, refs: RemoteRefs, resolved: ResolvedCheckout): SnapshotKey {
  return { mirrorId: id, checkout: checkoutName(resolved), refsDigest: digestRefs(refs) };
}

/** Updates the mirror. Deletes it after a failure, since its host responded just before. */
async function updateMirror(
  deps: BuildDeps,
  { id, uid }: Mirror,
  repository: SessionRepository,
  listed: RemoteRefs,
  resolved: ResolvedCheckout,
  { maxBytes }: SizeLimits,
  signal: AbortSignal,
): ReturnType<typeof mirrorRepository> {
  const { url } = repository;
  const { host } = new URL(url);
  const head = listed.head ?? "";
  const checkout = resolved.commit || `refs/heads/${resolved.branch}`;
  const { inside, credentials } = proxiedRepository(repository);
  const spec = {
    id: `mirror_${id.replaceAll("-", "")}`,
    disk: diskOf(deps.directory, "mirrors", id),
    uid,
    egress: { mode: "limited" as const, hosts: [host, ...(LFS_HOSTS[host] ?? [])] },
    credentials,
  };
  const environment = deps.repositoryVariables([inside]);
  const limits = { maxBytes, timeoutMs: TIMEOUT_MS, signal };
  const mirrored = await inSandbox(deps, spec, (sandbox) =>
    mirrorRepository(sandbox, { url, head, checkout }, { environment, ...limits }),
  );
  if (signal.aborted) return { reason: "the service stops" };
  const isMade = "refs" in mirrored;
  if (!isMade) await removeDisk(deps.directory, "mirrors", id);
  await markMirrored(deps.db.write, id, isMade ? mirrored.bytes : 0);
  return mirrored;
}

interface CloneOptions {
  /** uuid of the snapshot. */
  id: string;
  url: string;
  resolved: ResolvedCheckout;
  limits: SizeLimits;
  signal: AbortSignal;
}

async function cloneMirror(
  deps: BuildDeps,
  mirror: Mirror,
  { id, url, resolved, limits, signal }: CloneOptions,
): ReturnType<typeof buildSnapshot> {
  const source = mountSource(deps.directory, "mirrors", mirror.id);
  const spec = {
    id: `snapshot_${id.replaceAll("-", "")}`,
    disk: diskOf(deps.directory, "snapshots", id),
    uid: mirror.uid,
    egress: { mode: "limited" as const, hosts: [] },
    directories: [{ source, target: MIRROR_MOUNT_PATH }],
  };
  const options = { ...limits, timeoutMs: TIMEOUT_MS, signal };
  return await inSandbox(deps, spec, (sandbox) => buildSnapshot(sandbox, url, resolved, options));
}

async function inSandbox<T>(
  { engine }: BuildDeps,
  spec: Pick<SandboxSpec, "id" | "disk" | "uid" | "egress" | "credentials" | "directories">,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  await createPlainDisk(spec.disk);
  const sandbox = await engine.open({ ...spec, limits: LIMITS, files: [], writable: [] });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
