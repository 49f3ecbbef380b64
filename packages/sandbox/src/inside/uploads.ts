import type { MountedFile } from "../interface/spec.ts";

/** The directory of a sandbox that its processes see read-only, and the service fills (`UPLOADS_INSIDE`), also while they run. */
export interface Uploads {
  /** The file appears with all its bytes. Rejects with `SandboxError` when it cannot be placed. */
  place(file: MountedFile): Promise<void>;
  /**
   * Removes a file with the directories that become empty; a directory at the path stays. Rejects with `SandboxError` when it cannot
   * be removed.
   */
  remove(target: string): Promise<void>;
}
