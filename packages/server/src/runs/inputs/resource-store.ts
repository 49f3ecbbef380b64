import type { Checkout } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { HELD, type Lease, leaseValues } from "../lease/lease.ts";

/** A resource as a run needs it. `id` is a uuid. */
export type RunResource = RunRepository | RunFile | RunMemoryStore;

interface Common {
  id: string;
  mountPath: string;
  /** In place on the disk. */
  ready: boolean;
  /** Why it could not be put in place; null again once it was changed in a way that may help. */
  failure: string | null;
  failedAt: Date | null;
}

export interface RunRepository extends Common {
  type: "hosted_repository" | "git_repository";
  url: string;
  /** Of a `git_repository`; null for the default. */
  username: string | null;
  checkout: Checkout | null;
  /** Sealed; see secrets. */
  secret: Buffer | null;
  /** What the disk shows it over, or was to; null for a clone. `uid` owns it on the host. */
  snapshot: { id: string; uid: number } | null;
}

export interface RunFile extends Common {
  type: "file";
  fileId: string;
  /** Of its content; null where there is none. */
  sha256: string | null;
}

export interface RunMemoryStore extends Common {
  type: "memory_store";
  storeId: string;
  access: "read_write" | "read_only";
  /** As it was when the session was created, like the description. */
  name: string;
  description: string | null;
  instructions: string | null;
}

interface Row {
  id: string;
  type: RunResource["type"];
  url: string;
  username: string | null;
  checkout: Checkout | null;
  secret: Buffer | null;
  file_id: string;
  sha256: string | null;
  memory_store_id: string;
  memory_access: RunMemoryStore["access"];
  memory_name: string;
  memory_description: string | null;
  memory_instructions: string | null;
  template_id: string | null;
  template_uid: number;
  mount_path: string;
  ready: boolean;
  failure: string | null;
  failed_at: Date | null;
}

export async function readResources(db: Queryable, sessionId: string): Promise<RunResource[]> {
  const { rows } = await db.query<Row>({
    name: "run_resources",
    text: `
      select session_resources.id, type, session_resources.url, username, session_resources.checkout, secret, file_id,
        (select files.sha256 from files where files.id = file_id and files.status = 'ready') as sha256,
        memory_store_id, memory_access, memory_name, memory_description, memory_instructions, mount_path,
        template_id, repository_mirrors.uid as template_uid, ready_at is not null as ready,
        case when failed_at >= updated_at then failure end as failure, failed_at
      from session_resources
      left join repository_templates on repository_templates.id = template_id
      left join repository_mirrors on repository_mirrors.id = mirror_id
      where session_id = $1 order by session_resources.id`,
    values: [sessionId],
  });
  return rows.map(resource);
}

function resource(row: Row): RunResource {
  const { id, mount_path: mountPath, ready, failure, failed_at: failedAt } = row;
  const common = { id, mountPath, ready, failure, failedAt };
  if (row.type === "file") return { ...common, type: row.type, fileId: row.file_id, sha256: row.sha256 };
  if (row.type === "memory_store") {
    return {
      ...common,
      type: row.type,
      storeId: row.memory_store_id,
      access: row.memory_access,
      name: row.memory_name,
      description: row.memory_description,
      instructions: row.memory_instructions,
    };
  }
  const { type, url, username, checkout, secret, template_id: snapshotId, template_uid: uid } = row;
  const snapshot = snapshotId === null ? null : { id: snapshotId, uid };
  return { ...common, type, url, username, checkout, secret, snapshot };
}

export function isRepository(resource: RunResource): resource is RunRepository {
  return resource.type === "hosted_repository" || resource.type === "git_repository";
}

/** The resource as it is on a new disk, where nothing is in place. */
export function onNewDisk(resource: RunResource): RunResource {
  return isRepository(resource)
    ? { ...resource, ready: false, snapshot: null }
    : { ...resource, ready: false };
}

/** Not in place, and has not failed. */
export function isPending(resource: RunResource): boolean {
  return !resource.ready && resource.failure === null;
}

export async function markReady(db: Queryable, lease: Lease, resourceId: string): Promise<void> {
  await db.query({
    name: "resource_ready",
    text: `
      update session_resources set ready_at = now(), failed_at = null, failure = null
      from sessions
      where session_resources.id = $4 and sessions.id = session_id and ${HELD}`,
    values: [...leaseValues(lease), resourceId],
  });
}

export async function markFailed(
  db: Queryable,
  lease: Lease,
  resourceId: string,
  failure: string,
): Promise<void> {
  await db.query({
    name: "resource_failed",
    text: `
      update session_resources set failed_at = now(), failure = $5
      from sessions
      where session_resources.id = $4 and sessions.id = session_id and ${HELD}`,
    values: [...leaseValues(lease), resourceId, failure],
  });
}

/** For a disk that is new or removed: nothing is in place on it, and it uses no snapshot. */
export async function markAllAbsent(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "resources_absent",
    text: `
      update session_resources set ready_at = null, template_id = null
      from sessions
      where session_id = $1 and sessions.id = session_id and (ready_at is not null or template_id is not null) and ${HELD}`,
    values: leaseValues(lease),
  });
}

/**
 * The content of a file resource as it is now: the resource or its file may have been deleted since its sandbox was opened.
 * Undefined: the resource is gone.
 */
export async function readFileContent(
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
