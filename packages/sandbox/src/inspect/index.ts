export { isPathBelow } from "./entry-name.ts";
export type { InspectFailure } from "./inspect-command.ts";
export {
  type CloneFailure,
  type InspectedClone,
  repositoryChanges,
  repositoryDiff,
} from "./inspect-repository.ts";
export { type DirectoryEntry, type EntryType, listDirectory } from "./list-directory.ts";
export type { ChangedFile, ClonedCommit, RepositoryChanges } from "./parse-changes.ts";
export { type FilesRead, readFiles, type WantedFile } from "./read-files.ts";
export { type FilePart, readPart } from "./read-part.ts";
