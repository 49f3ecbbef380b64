import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { posix } from "node:path";
import { UPLOADS_INSIDE } from "../inside/environment.ts";
import type { Uploads } from "../inside/uploads.ts";
import { SandboxError } from "../interface/errors.ts";
import type { MountedFile } from "../interface/spec.ts";
import { copyReadOnly } from "./copy-read-only.ts";

/** Uploads in a host directory that is mounted into the sandbox. */
export class HostUploads implements Uploads {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async place(file: MountedFile): Promise<void> {
    const target = this.#path(file.target);
    const temporary = `${this.#directory}.${randomUUID()}.placing`;
    try {
      await mkdir(posix.dirname(target), { recursive: true, mode: 0o755 });
      await copyReadOnly(file.source, temporary);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw new SandboxError("the file could not be placed", { cause: error });
    }
  }

  async remove(target: string): Promise<void> {
    const path = this.#path(target);
    await rm(path, { force: true }).catch((error: NodeJS.ErrnoException) => {
      // A directory is kept: other files were placed below this path.
      if (error.code === "ERR_FS_EISDIR" || error.code === "ENOTDIR") return;
      throw new SandboxError("the file could not be removed", { cause: error });
    });
    for (let parent = posix.dirname(path); parent !== this.#directory; parent = posix.dirname(parent)) {
      const empty = await rmdir(parent).then(
        () => true,
        () => false,
      );
      if (!empty) return;
    }
  }

  #path(target: string): string {
    return `${this.#directory}/${posix.relative(UPLOADS_INSIDE, target)}`;
  }
}
