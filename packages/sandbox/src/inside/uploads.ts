import type { MountedFile } from "../interface/spec.ts";

/**
 * The directory of a sandbox that its processes see read-only (`UPLOADS_INSIDE`) and that the service writes,
 * also while they run.
 */
export interface Uploads {
  /**
   * Places a file, which appears only once complete. Rejects with `SandboxError` when it cannot be placed.
   */
  place(file: MountedFile): Promise<void>;
  /**
   * Removes a file, and the directories that become empty; a directory at the path is kept. Rejects with
   * `SandboxError` when the file cannot be removed.
   */
  remove(target: string): Promise<void>;
}
