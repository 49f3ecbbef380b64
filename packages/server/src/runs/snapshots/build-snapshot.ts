import { statfs } from "node:fs/promises";
import { type Checkout, newUuid } from "@berth/contract";
import {
  buildSnapshot,
  digestOf,
  MIRROR_MOUNTED,
  type Mirrored,
  mirrorRepository,
  type RemoteRefs,
  type SandboxEngine,
  type SandboxSpec,
  wantedOf,
} from "@berth/sandbox";
import type { Queryable } from "../../db/statement.ts";
import { proxiedRepository } from "../credentials/session-credentials.ts";
import type { SessionRepository } from "../inputs/placement.ts";
import { checkoutOf } from "./checkout-name.ts";
import { type Mirror, markMirrored } from "./mirror-store.ts";
import {
  discardDisk,
  diskOf,
  makePlainDisk,
  type Share,
  shareOf,
  sourceOf,
  type TemplateRoom,
} from "./snapshot-directory.ts";
import { hasTemplate, insertTemplate } from "./snapshot-store.ts";

/** Asks a repository's host what its credential sees now; null where that is not to be had. Never rejects. */
export type ListRefs = (repository: SessionRepository, signal?: AbortSignal) => Promise<RemoteRefs | null>;

export interface MakeParts {
  db: { write: Queryable };
  engine: Pick<SandboxEngine, "open">;
  room: TemplateRoom;
  /** What all mirrors and templates may take; one takes a quarter of it at most. */
  mostBytes: number;
  listRefs: ListRefs;
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
}

/** A repository as a session has it, with the credential that may read it. */
export interface Order {
  repository: SessionRepository;
  checkout: Checkout | null;
}

/** How it went: `there` when it was made before, `unfit` when there cannot be one; `why` is a clause for the operator. */
export type Made =
  | { state: "made"; id: string; bytes: number }
  | { state: "there" }
  | { state: "unfit"; why: string };

const LONGEST_MS = 15 * 60_000;
const GIBIBYTE = 1024 ** 3;
/** Beside sessions that work. */
const LIMITS = { memoryBytes: 2 * GIBIBYTE, pids: 128, cpus: 1, diskBytes: null };

/**
 * Makes the template of a repository as its host shows it now: brings the mirror up to date with the session's credential, in
 * a sandbox that reaches that host alone and has a placeholder for the secret, and makes a clone of it in another that reaches nothing and knows no secret. What is
 * not whole at the end is deleted. Only one at a time for a mirror.
 *
 * @param began is told the id of the template before anything of it is on the disk.
 */
export async function makeTemplate(
  parts: MakeParts,
  mirror: Mirror,
  { repository, checkout }: Order,
  { signal, began }: { signal: AbortSignal; began(id: string): void },
): Promise<Made> {
  const { db, room } = parts;
  const there = (refs: RemoteRefs): Promise<boolean> => {
    const wanted = wantedOf(refs, checkout);
    const like = { mirrorId: mirror.id, refsDigest: digestOf(refs) };
    return wanted === null
      ? Promise.resolve(false)
      : hasTemplate(db.write, { ...like, checkout: checkoutOf(wanted) });
  };
  const shown = await parts.listRefs(repository, signal);
  if (shown === null) return unfit("its host does not list its refs");
  if (wantedOf(shown, checkout) === null) return unfit("its HEAD or the checkout names no branch of it");
  if (await there(shown)) return { state: "there" };
  const share = shareOf(parts.mostBytes, await statfs(room.directory));
  const mirrored = await bringUpToDate(parts, mirror, repository, shown, share, signal);
  const wanted = mirrored && wantedOf(mirrored.refs, checkout);
  if (!mirrored || !wanted) return unfit("its mirror was not fetched, or takes more than it may");
  if (await there(mirrored.refs)) return { state: "there" };

  const id = newUuid();
  began(id);
  try {
    const built = await inSandbox(
      parts,
      {
        id: `template_${id.replaceAll("-", "")}`,
        disk: diskOf(room, "templates", id),
        uid: mirror.uid,
        egress: { mode: "limited", hosts: [] },
        directories: [{ source: sourceOf(room, "mirrors", mirror.id), target: MIRROR_MOUNTED }],
      },
      (sandbox) =>
        buildSnapshot(sandbox, repository.url, wanted, {
          ...share,
          timeoutMs: LONGEST_MS,
          signal,
        }),
    );
    if (built !== null) {
      const refsDigest = digestOf(mirrored.refs);
      await insertTemplate(db.write, {
        id,
        mirrorId: mirror.id,
        checkout: checkoutOf(wanted),
        refsDigest,
        ...built,
      });
      return { state: "made", id, bytes: built.bytes };
    }
  } catch (error) {
    await discardDisk(room, "templates", id);
    throw error;
  }
  await discardDisk(room, "templates", id);
  return unfit("its clone was not made, or takes more than it may");
}

function unfit(why: string): Made {
  return { state: "unfit", why };
}

/** Null where it cannot be: as its host was asked just before, the mirror is not worth keeping then. */
async function bringUpToDate(
  parts: MakeParts,
  { id, uid }: Mirror,
  repository: SessionRepository,
  { head }: RemoteRefs,
  { mostBytes }: Share,
  signal: AbortSignal,
): Promise<Mirrored | null> {
  const { url } = repository;
  const { inside, credentials } = proxiedRepository(repository);
  const spec = {
    id: `mirror_${id.replaceAll("-", "")}`,
    disk: diskOf(parts.room, "mirrors", id),
    uid,
    egress: { mode: "limited" as const, hosts: [new URL(url).host] },
    credentials,
  };
  const mirrored = await inSandbox(parts, spec, (sandbox) =>
    mirrorRepository(
      sandbox,
      { url, head: head ?? "" },
      {
        environment: parts.repositoryVariables([inside]),
        mostBytes,
        timeoutMs: LONGEST_MS,
        signal,
      },
    ),
  );
  if (signal.aborted) return null;
  if (mirrored === null) await discardDisk(parts.room, "mirrors", id);
  await markMirrored(parts.db.write, id, mirrored?.bytes ?? 0);
  return mirrored;
}

async function inSandbox<T>(
  { engine }: MakeParts,
  spec: Pick<SandboxSpec, "id" | "disk" | "uid" | "egress" | "credentials" | "directories">,
  work: (sandbox: Awaited<ReturnType<SandboxEngine["open"]>>) => Promise<T>,
): Promise<T> {
  await makePlainDisk(spec.disk);
  const sandbox = await engine.open({ ...spec, limits: LIMITS, files: [], writable: [] });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
