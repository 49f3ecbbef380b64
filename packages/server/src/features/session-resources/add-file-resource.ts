import {
  formatId,
  type Input,
  newUuid,
  pathsOverlap,
  type ResponseOf,
  type sessionResourceRoutes,
  uuidOrNil,
} from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { type FileRow, lockFiles } from "../files/file-store.ts";
import { reachAndLock } from "../sessions/reach-session.ts";
import { defaultFileMount } from "./place-resources.ts";
import { type ResourceRow, resourceAnswer } from "./resource-row.ts";
import { insertFileResource, mounts } from "./resource-store.ts";

type AddInput = Input<typeof sessionResourceRoutes.add>;
type FileResource = ResponseOf<typeof sessionResourceRoutes.add>;

/** Adds a ready file to a session that is neither archived nor terminated, at a place that is free. */
export async function addFileResource(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: AddInput,
): Promise<FileResource> {
  const row = await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, params.session_id);
    const file = await reachFile(tx, principal, body.file_id);
    if (session.archived) throw errors.cannotAddTo(params.session_id, "archived");
    if (session.terminated) throw errors.cannotAddTo(params.session_id, "terminated");
    if (file.status !== "ready") throw errors.addedFileNotReady(body.file_id);
    const mountPath = body.mount_path ?? defaultFileMount(body.file_id);
    await checkFree(tx, session.id, file, mountPath);
    return await insertFileResource(tx, { id: newUuid(), sessionId: session.id, fileId: file.id, mountPath });
  });
  return fileAnswer(row);
}

async function reachFile(tx: Queryable, principal: Principal, fileId: string): Promise<FileRow> {
  const [file] = await lockFiles(tx, [uuidOrNil("file", fileId)]);
  if (file === undefined) throw errors.notFound("file", fileId);
  if (!reaches(principal, file)) throw errors.notYours("file", fileId);
  return file;
}

async function checkFree(tx: Queryable, sessionId: string, file: FileRow, mountPath: string): Promise<void> {
  const present = await mounts(tx, sessionId);
  if (present.some((other) => other.file_id === file.id)) throw errors.fileMounted(formatId("file", file.id));
  const other = present.find((mount) => pathsOverlap(mount.mount_path, mountPath));
  if (other !== undefined) throw errors.mountTaken("mount_path", other.mount_path);
}

function fileAnswer(row: ResourceRow): FileResource {
  const answer = resourceAnswer(row);
  if (answer.type !== "file") throw new Error("A file resource was stored as another kind.");
  return answer;
}
