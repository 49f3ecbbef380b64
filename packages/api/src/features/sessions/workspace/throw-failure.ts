import { errors } from "@berth/store/errors";
import { MAX_READ_MS, type ReadFailure } from "@berth/store/session-log";

/** Throws the error of a failed read. @param id of the session. */
export function throwFailure(id: string, reason: ReadFailure, path: string): never {
  switch (reason) {
    case "not_found":
      throw errors.pathNotFound(path);
    case "is_directory":
    case "not_a_directory":
    case "not_a_file":
      throw errors.pathUnfit(path, reason);
    case "link":
      throw errors.pathUnfit(path, "symbolic_link");
    case "permission":
      throw errors.pathUnreadable(path);
    case "changed":
      throw errors.fileChanging(path);
    case "full":
      throw errors.sandboxFull(id);
    case "slow":
      throw errors.notReadInTime(id, MAX_READ_MS / 1_000);
    case "no_disk":
      throw errors.noDisk(id, "its disk was not found on its machine");
    default:
      throw errors.sandboxUnreadable(id);
  }
}
