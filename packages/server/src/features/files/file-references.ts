import { type Reference, References } from "../../access/references.ts";
import { errors } from "../../errors/catalogue.ts";
import { type FileRow, getFiles, lockFiles } from "./file-store.ts";

/** A reference to a file; `field` names its field in the error for a file that is not ready. */
export interface FileReference extends Reference {
  field: string;
}

/**
 * Files that a request refers to. They must exist, be accessible and ready, and they stay when they are locked.
 *
 * @param checkContent A further check, of a ready file.
 */
export function fileReferences<Given extends FileReference>(
  given: readonly Given[],
  checkContent: (given: Given, row: FileRow) => void = () => {},
): References<Given, FileRow> {
  return new References("file", given, {
    read: getFiles,
    lock: lockFiles,
    checkState(reference, row) {
      if (row.status !== "ready") throw errors.fileNotReady(reference.id, reference.field);
      checkContent(reference, row);
    },
  });
}
