import { uuidOrNil } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import { type FileRow, getFiles, lockFiles } from "../files/file-store.ts";
import type { Given, PreparedResources } from "./prepared.ts";

/** @throws errors.invalid at the first that is there twice. */
export function prepareFiles(given: readonly Given<"file">[]): PreparedResources {
  const files = given.map(({ id, index, input }) => ({
    id,
    index,
    fileId: input.file_id,
    uuid: uuidOrNil("file", input.file_id),
  }));
  const uuids = files.map(({ uuid }) => uuid);
  for (const [at, { fileId, index }] of files.entries()) {
    if (files.findIndex((one) => one.fileId === fileId) < at)
      throw errors.invalid(`File '${fileId}' is given twice.`, `resources[${index}].file_id`);
  }
  let rows = new Map<string, FileRow>();

  function expectAll(found: readonly FileRow[]): Map<string, FileRow> {
    const byUuid = new Map(found.map((row) => [row.id, row]));
    for (const { uuid, fileId } of files) if (!byUuid.has(uuid)) throw errors.notFound("file", fileId);
    return byUuid;
  }

  return {
    async find(db) {
      if (files.length > 0) rows = expectAll(await getFiles(db, uuids));
    },
    reach(principal) {
      for (const { uuid, fileId } of files) {
        const row = rows.get(uuid);
        if (row !== undefined && !reaches(principal, row)) throw errors.notYours("file", fileId);
      }
    },
    checkState() {
      for (const { uuid, fileId, index } of files) {
        if (rows.get(uuid)?.status !== "ready")
          throw errors.fileNotReady(fileId, `resources[${index}].file_id`);
      }
    },
    ...(files.length === 0 ? {} : { hold: async (tx) => void expectAll(await lockFiles(tx, uuids)) }),
    rows: (placeOf) =>
      files.map(({ id, index, uuid }) => ({ id, type: "file", mount_path: placeOf(index), file_id: uuid })),
  };
}
