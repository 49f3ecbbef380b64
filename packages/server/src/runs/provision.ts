import { LeaseLost } from "@berth/agent";
import type { MountedFile, Sandbox } from "@berth/sandbox";
import type { Logger } from "pino";
import type { BlobStore } from "../blobs/disk-blobs.ts";
import type { Database } from "../db/pool.ts";
import { type CloneParts, cloneInto } from "./clone-into.ts";
import type { Lease } from "./lease.ts";
import { createLimit } from "./limit.ts";
import { mountedFile } from "./mounted-file.ts";
import type { Outcome } from "./place-outcome.ts";
import type { RunFile, RunRepository, RunResource } from "./resource-store.ts";
import type { RunLog } from "./run-log.ts";
import { tellFailed, tellReady } from "./tell-resource.ts";

export interface ProvisionParts extends CloneParts {
  db: Database;
  blobs: BlobStore;
  log: Logger;
}

export interface ProvisionTarget {
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** Takes what the model is to be told. */
  notes: string[];
  /** The files that the sandbox was opened with. */
  mounted: readonly MountedFile[];
  /** Called when a file waits for a place that only a fresh sandbox has. */
  onWantsReopen(): void;
}

/** Puts resources in place in one open sandbox, each once, and tells how it went in the log. */
export interface Provisioner {
  /** Resolves when all of them are in place or have failed; never rejects. */
  putInPlace(resources: readonly RunResource[]): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** A file is waiting for a place that only a fresh sandbox has. */
  wantsReopen(): boolean;
}

const CLONES_AT_ONCE = 4;

export function createProvisioner(parts: ProvisionParts, target: ProvisionTarget): Provisioner {
  const limit = createLimit(CLONES_AT_ONCE);
  const under = new Map<string, Promise<void>>();
  const tried = new Map<string, string>();
  let reopen = false;

  async function put(resource: RunResource): Promise<void> {
    const began = performance.now();
    try {
      const outcome = await (resource.type === "file" ? place(resource) : clone(resource));
      if (outcome === "later") return;
      if ("fault" in outcome) await tellFailed(parts.db.write, target, resource, outcome.fault);
      else await tellReady(parts.db.write, target, resource, began, outcome.commit);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      parts.log.error({ err: error, resource: resource.id }, "a resource could not be put in place");
    }
  }

  async function clone(repository: RunRepository): Promise<Outcome> {
    const leave = await limit.enter();
    try {
      return await cloneInto(parts, target, repository);
    } finally {
      leave();
    }
  }

  async function place(resource: RunFile): Promise<Outcome> {
    const file = await mountedFile(parts, resource);
    if (file === null) return { fault: { type: "sandbox_error", message: "The file has no content." } };
    if (target.mounted.some(({ target: path }) => path === file.target)) return {};
    if (await target.sandbox.placeFile(file)) {
      target.notes.push(`[A file of the user is now at ${file.target}, read-only.]`);
      return {};
    }
    reopen = true;
    target.onWantsReopen();
    return "later";
  }

  return {
    async putInPlace(resources) {
      for (const resource of resources) {
        if (under.has(resource.id) || tried.get(resource.id) === version(resource)) continue;
        tried.set(resource.id, version(resource));
        under.set(
          resource.id,
          put(resource).finally(() => under.delete(resource.id)),
        );
      }
      await Promise.all(under.values());
    },
    async settled() {
      while (under.size > 0) await Promise.all(under.values());
    },
    wantsReopen: () => reopen,
  };
}

/** A repository that failed is tried again with another token. */
function version(resource: RunResource): string {
  return resource.type === "file" ? "" : (resource.secret?.toString("base64") ?? "");
}
