import { type Reference, References } from "@berth/store/access";
import { errors } from "@berth/store/errors";
import { type FileRow, getFiles, lockFiles } from "./file-store.ts";

/**
 * Returns the files that a request refers to. They must exist, be accessible and be ready; locking prevents
 * deletion.
 *
 * @param checkContent further check of a ready file.
 */
export function fileReferences<Given extends Reference>(
  given: readonly Given[],
  checkContent: (given: Given, row: FileRow) => void = () => {},
): References<Given, FileRow> {
  return new References("file", given, {
    read: getFiles,
    lock: lockFiles,
    checkState(reference, row) {
      if (row.status !== "ready") throw errors.fileNotReady(reference.id, reference.param);
      checkContent(reference, row);
    },
  });
}
