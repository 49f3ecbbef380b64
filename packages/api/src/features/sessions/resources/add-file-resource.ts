import { formatId, type Input, newUuid, type ResponseOf, type sessionResourceRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { type FileRow, requireFileForMount } from "../../files/file-store.ts";
import { requireSessionForUpdate } from "../state/session-state-store.ts";
import { checkCoexist, defaultFileMountPath } from "./mount-paths.ts";
import { type ResourceRow, toSessionResource } from "./resource-row.ts";
import { insertResource, sessionMounts } from "./resource-store.ts";

type AddInput = Input<typeof sessionResourceRoutes.add>;
type FileResource = ResponseOf<typeof sessionResourceRoutes.add>;

/**
 * Adds a ready file to a session that is neither archived nor terminated, at a free mount path.
 *
 * @throws errors.cannotAddTo, errors.addedFileNotReady, errors.fileMounted, errors.mountTaken,
 * errors.mountInGit
 */
export async function addFileResource(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: AddInput,
): Promise<FileResource> {
  const row = await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, params.session_id);
    // A file that is shared is there to be used, whoever's session it is.
    const file = await requireFileForMount(tx, { ...principal, needs: "read" }, body.file_id, "file_id");
    if (session.archived) throw errors.cannotAddTo(params.session_id, "archived");
    if (session.terminated) throw errors.cannotAddTo(params.session_id, "terminated");
    if (file.status !== "ready") throw errors.addedFileNotReady(body.file_id);
    const mountPath = body.mount_path ?? defaultFileMountPath(body.file_id);
    await checkFree(tx, session.id, file, mountPath);
    const resource = { id: newUuid(), type: "file" as const, file_id: file.id, mount_path: mountPath };
    return await insertResource(tx, session.id, resource);
  });
  return toFileResource(row);
}

async function checkFree(
  tx: Queryable,
  sessionUuid: string,
  file: FileRow,
  mountPath: string,
): Promise<void> {
  const mounts = await sessionMounts(tx, sessionUuid);
  if (mounts.some((other) => other.file_id === file.id)) throw errors.fileMounted(formatId("file", file.id));
  for (const other of mounts) checkCoexist({ type: "file", mount_path: mountPath }, other, "mount_path");
}

function toFileResource(row: ResourceRow): FileResource {
  const resource = toSessionResource(row);
  if (resource.type !== "file") throw new Error("A file resource was stored with another type.");
  return resource;
}
