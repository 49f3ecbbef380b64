import { LeaseLost } from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import type { MountedFile } from "@berth/sandbox";
import type { Logger } from "pino";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Database } from "../../db/pool.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Placement } from "../inputs/placement.ts";
import { forgetRemoval, isReplaced, type Removal } from "../inputs/removal-store.ts";
import type { RunFile, RunResource } from "../inputs/resource-store.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import { type CloneParts, type CloneTarget, cloneInto } from "./clone-into.ts";
import { tellFailed, tellReady } from "./tell-resource.ts";

export interface ProvisionParts extends CloneParts {
  db: Database;
  blobs: BlobStore;
  log: Logger;
}

export interface ProvisionTarget extends CloneTarget {
  memory: Pick<SessionMemory, "putInPlace">;
  /** Takes what the model is to be told. */
  notes: string[];
  /** The files that the sandbox was opened with. */
  mounted: readonly MountedFile[];
  /** Called when a file waits for a place that only a fresh sandbox has. */
  onNeedsReopen(): void;
}

/**
 * Puts resources in place in one open sandbox, each once, and tells how it went in the log. Repositories are cloned side by
 * side; files come and go one after another, in the order in which they were given.
 */
export interface Provisioner {
  /** Resolves when the removals are done and all resources are in place or have failed; never rejects. */
  putInPlace(resources: readonly RunResource[], removals: readonly Removal[]): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** A file is waiting for a place that only a fresh sandbox has, or was in one that only a fresh one has no more. */
  needsReopen(): boolean;
}

const CLONES_AT_ONCE = 4;

export function createProvisioner(parts: ProvisionParts, target: ProvisionTarget): Provisioner {
  const limit = new Semaphore(CLONES_AT_ONCE);
  const under = new Map<string, Promise<void>>();
  const tried = new Map<string, string>();
  const mounted = new Map(target.mounted.map(({ target: path, source }) => [path, source]));
  const shown = new Set<string>();
  const inTurn = new Semaphore(1);
  let reopen = false;

  async function put(resource: RunResource): Promise<void> {
    const began = performance.now();
    try {
      const outcome = await putOne(resource);
      if (outcome === "later") return;
      if ("fault" in outcome) await tellFailed(parts.db.write, target, resource, outcome.fault);
      else await tellReady(parts.db.write, target, resource, began, outcome.commit);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      parts.log.error({ err: error, resource: resource.id }, "a resource could not be put in place");
    }
  }

  function putOne(resource: RunResource): Promise<Placement> {
    if (resource.type === "file") return inTurn.run(() => place(resource));
    if (resource.type === "memory_store") return target.memory.putInPlace(target.sandbox, resource);
    return limit.run(() => cloneInto(parts, target, resource, shown));
  }

  async function place(resource: RunFile): Promise<Placement> {
    const content = await readContent(parts.db.write, resource.id);
    if (content === undefined) return "later";
    if (content.sha256 === null)
      return { fault: { type: "sandbox_error", message: "The file has no content." } };
    const file = { source: parts.blobs.path(content.sha256), target: resource.mountPath };
    if (mounted.get(file.target) === file.source) return {};
    if (await target.sandbox.placeFile(file)) {
      target.notes.push(`[A file of the user is now at ${file.target}, read-only.]`);
      return {};
    }
    wantReopen();
    return "later";
  }

  /** The removal is forgotten when the file is gone, so that whatever comes between, it is tried again. */
  async function remove(removal: Removal): Promise<void> {
    try {
      if (!(await isReplaced(parts.db.write, target.lease.sessionId, removal))) {
        if (!(await target.sandbox.removeFile(removal.mountPath))) return wantReopen();
        mounted.delete(removal.mountPath);
        target.notes.push(`[The file at ${removal.mountPath} was taken away by the user.]`);
      }
      await forgetRemoval(parts.db.write, removal);
    } catch (error) {
      parts.log.error({ err: error, resource: removal.id }, "a file could not be removed");
    }
  }

  function wantReopen(): void {
    reopen = true;
    target.onNeedsReopen();
  }

  /** Once for each `key` and `version`. */
  function begin(key: string, version: string, work: () => Promise<void>): void {
    if (under.has(key) || tried.get(key) === version) return;
    tried.set(key, version);
    under.set(
      key,
      work().finally(() => under.delete(key)),
    );
  }

  return {
    async putInPlace(resources, removals) {
      for (const removal of removals)
        begin(`removal of ${removal.id}`, "", () => inTurn.run(() => remove(removal)));
      for (const resource of resources) begin(resource.id, version(resource), () => put(resource));
      await Promise.all(under.values());
    },
    async settled() {
      while (under.size > 0) await Promise.all(under.values());
    },
    needsReopen: () => reopen,
  };
}

/** A repository that failed is tried again with another token. */
function version(resource: RunResource): string {
  return resource.type === "file" || resource.type === "memory_store"
    ? ""
    : (resource.secret?.toString("base64") ?? "");
}

/** Read again: the resource may have been deleted since its sandbox was opened, or its file. Undefined: the resource is gone. */
async function readContent(
  db: Queryable,
  resourceId: string,
): Promise<{ sha256: string | null } | undefined> {
  const { rows } = await db.query<{ sha256: string | null }>({
    name: "file_content",
    text: `
      select files.sha256 from session_resources
        left join files on files.id = session_resources.file_id and status = 'ready'
      where session_resources.id = $1`,
    values: [resourceId],
  });
  return rows[0];
}
