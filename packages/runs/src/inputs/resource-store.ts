import type { Checkout } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

/** A resource as a run needs it. `id` is a uuid. */
export type RunResource = RunRepository | RunFile | RunMemoryStore;

interface Common {
  id: string;
  mountPath: string;
  /** Whether the resource is in place on the disk. */
  ready: boolean;
  /** Why the resource could not be put in place; null again after a change that may help. */
  failure: string | null;
  failedAt: Date | null;
  /** A digest of all inputs of an attempt. A failed attempt may succeed once the digest is different. */
  inputs: string;
}

/** A snapshot on this machine. */
export interface MountableSnapshot {
  id: string;
  /** The uid that owns its files on the host. */
  uid: number;
  /** The uuid of the snapshot that it is layered on; null for a plain one. */
  baseId: string | null;
}

export interface RunRepository extends Common {
  type: "hosted_repository" | "git_repository";
  url: string;
  /** The user name of a `git_repository`; null for the default. */
  username: string | null;
  checkout: Checkout | null;
  /** From which of its files the session also takes its environment; null for none. */
  environmentFrom: "devcontainer" | null;
  /** The sealed token or password; see `SecretBox`. */
  secret: Buffer | null;
  /** Whether a connection is to make its token: it has none yet, or the next one is due. */
  isTokenDue: boolean;
  /** The snapshot under the repository on the disk, or the one that was tried; null for a clone. */
  snapshot: MountableSnapshot | null;
  /** The commit that was cloned; empty for a repository that had none. Null when the row does not say. */
  baseCommit: string | null;
  /** A counter that each new secret and each requested retry raises. */
  revision: number;
  /** Attempts in a row that failed for a transient reason. */
  attempts: number;
  /** Milliseconds since the first of these attempts failed. */
  failingMs: number;
  /** Milliseconds until the next attempt is due, 0 when it is due; null when no attempt is scheduled. */
  retryInMs: number | null;
}

export interface RunFile extends Common {
  type: "file";
  fileId: string;
  /** SHA-256 of the content; null when there is no content. */
  sha256: string | null;
  /** The repository that contains the mount path; null when none does. */
  repository: SurroundingRepository | null;
}

/** A repository whose mount path contains a file's. `id` is a uuid. */
export interface SurroundingRepository {
  id: string;
  mountPath: string;
  ready: boolean;
}

export interface RunMemoryStore extends Common {
  type: "memory_store";
  storeId: string;
  access: "read_write" | "read_only";
  /** The name when the session was created. The description is also the one of that time. */
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
  environment_from: RunRepository["environmentFrom"];
  secret: Buffer | null;
  is_token_due: boolean;
  file_id: string;
  repository: SurroundingRepository | null;
  sha256: string | null;
  memory_store_id: string;
  memory_access: RunMemoryStore["access"];
  memory_name: string;
  memory_description: string | null;
  memory_instructions: string | null;
  snapshot_id: string | null;
  snapshot_uid: number;
  snapshot_base_id: string | null;
  base_commit: string | null;
  mount_path: string;
  ready: boolean;
  failure: string | null;
  failed_at: Date | null;
  inputs: string;
  revision: number;
  attempts: number;
  failing_ms: number;
  retry_in_ms: number | null;
}

export async function readResources(db: Queryable, sessionId: string): Promise<RunResource[]> {
  const text = `${SELECT_RESOURCES} where session_id = $1 order by session_resources.id`;
  const { rows } = await db.query<Row>({ name: "run_resources", text, values: [sessionId] });
  return rows.map(resource);
}

/** Returns a resource as it is now, or null when it was deleted. */
export async function readResource(db: Queryable, resourceId: string): Promise<RunResource | null> {
  const text = `${SELECT_RESOURCES} where session_resources.id = $1`;
  const { rows } = await db.query<Row>({ name: "run_resource", text, values: [resourceId] });
  return rows[0] === undefined ? null : resource(rows[0]);
}

/** The inputs of a clone: the row with its secret (`revision`), networking, the vaults, and the setup. */
const INPUTS = `
  case when type not in ('hosted_repository', 'git_repository') then '' else md5(json_build_array(
    revision, session_resources.url, username, session_resources.checkout::text,
    environments.config -> 'networking', environments.credentials, environments.config -> 'repository_setup_script',
    environments.config -> 'repository_setup_required', environments.environment_variables, (
      select json_agg(json_build_array(vault_credentials.id, updated_at) order by vault_credentials.id)
      from vault_credentials where vault_id = any(vault_ids)
    ))::text)
  end`;

const selectResources = (secret: string) => `
  select session_resources.id, type, session_resources.url, username, session_resources.checkout, environment_from, ${secret} as secret,
    connection_id is not null and (secret is null or coalesce(token_renew_at <= now(), false)) as is_token_due, file_id,
    (select files.sha256 from files where files.id = file_id and files.status = 'ready') as sha256,
    memory_store_id, memory_access, memory_name, memory_description, memory_instructions, session_resources.mount_path,
    case when type = 'file' then (
      select json_build_object('id', around.id, 'mountPath', around.mount_path, 'ready', around.ready_at is not null)
      from session_resources as around
      where around.session_id = session_resources.session_id and around.type in ('hosted_repository', 'git_repository')
        and starts_with(session_resources.mount_path, around.mount_path || '/')
    ) end as repository,
    base_commit,
    snapshot_id, repository_mirrors.uid as snapshot_uid, repository_snapshots.base_id as snapshot_base_id, ready_at is not null as ready,
    inputs, case when failed_inputs = inputs then failure end as failure, failed_at, revision, attempts,
    coalesce(extract(epoch from now() - failing_since) * 1000, 0)::float8 as failing_ms,
    case when retry_at is not null then greatest(0, extract(epoch from retry_at - now()) * 1000) end::float8 as retry_in_ms
  from session_resources
  join sessions on sessions.id = session_id
  join environments on environments.id = environment_id
  cross join lateral (select ${INPUTS} as inputs) as given
  left join repository_snapshots on repository_snapshots.id = snapshot_id
  left join repository_mirrors on repository_mirrors.id = mirror_id`;

const SELECT_RESOURCES = selectResources("secret");

/** An SQL expression: the resources of session $1, for `resourcesFromJson`. */
export const RESOURCES_AS_JSON = `(
    select coalesce(json_agg(found order by found.id), '[]')
    from (${selectResources("encode(secret, 'base64')")} where session_id = $1) as found
  )`;

export type JsonResource = Omit<Row, "secret" | "failed_at"> & {
  secret: string | null;
  failed_at: string | null;
};

export function resourcesFromJson(rows: readonly JsonResource[]): RunResource[] {
  return rows.map(({ secret, failed_at, ...row }) =>
    resource({
      ...row,
      secret: secret === null ? null : Buffer.from(secret, "base64"),
      failed_at: failed_at === null ? null : new Date(failed_at),
    }),
  );
}

function resource(row: Row): RunResource {
  const { id, mount_path: mountPath, ready, failure, failed_at: failedAt, inputs } = row;
  const common = { id, mountPath, ready, failure, failedAt, inputs };
  if (row.type === "file")
    return { ...common, type: row.type, fileId: row.file_id, sha256: row.sha256, repository: row.repository };
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
  const { type, url, username, checkout, secret, snapshot_id: snapshotId, snapshot_uid: uid } = row;
  const snapshot = snapshotId === null ? null : { id: snapshotId, uid, baseId: row.snapshot_base_id };
  const retrying = {
    environmentFrom: row.environment_from,
    isTokenDue: row.is_token_due,
    baseCommit: row.base_commit,
    revision: row.revision,
    attempts: row.attempts,
    failingMs: row.failing_ms,
    retryInMs: row.retry_in_ms,
  };
  return { ...common, type, url, username, checkout, secret, snapshot, ...retrying };
}

export function isRepository(resource: RunResource): resource is RunRepository {
  return resource.type === "hosted_repository" || resource.type === "git_repository";
}

/** Returns the resource as it is on a new disk, where nothing is in place. */
export function onNewDisk(resource: RunResource): RunResource {
  if (isRepository(resource)) return { ...resource, ready: false, snapshot: null };
  if (resource.type !== "file" || resource.repository === null) return { ...resource, ready: false };
  return { ...resource, ready: false, repository: { ...resource.repository, ready: false } };
}

/** Returns whether the resource is missing and to be tried. A file in a repository follows its clone. */
export function isPending(resource: RunResource): boolean {
  if (resource.ready) return false;
  if (resource.type === "file" && resource.repository?.ready === false) return false;
  return resource.failure === null || (isRepository(resource) && resource.retryInMs !== null);
}

/** Returns whether all attempts of a series have failed, each for a transient reason. */
export function isExhausted(resource: RunResource): boolean {
  return isRepository(resource) && !isPending(resource) && !resource.ready && resource.attempts > 0;
}

/**
 * Reads the content of a file resource as it is now, since it may have been deleted after its sandbox was
 * opened. Returns undefined when the resource was deleted, and a null `sha256` when its file was.
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
