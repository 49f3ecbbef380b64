import { constants, createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Command, CommandResult } from "../interface/command.ts";
import { SandboxError } from "../interface/errors.ts";
import type { MountedFile } from "../interface/spec.ts";
import { shellScript } from "../scripts/read-script.ts";
import { UPLOADS_INSIDE } from "./environment.ts";
import { cleanPath, isBelow } from "./mounts.ts";
import type { Uploads } from "./uploads.ts";

const PLACE = shellScript("files/place-file.sh");
const REMOVE = shellScript("files/remove-file.sh");
const TIMEOUT_MS = 600_000;

export interface FilePaths {
  uploads: Uploads;
  /** Directories of the sandbox in which its own processes write files. */
  writable: readonly string[];
  /** Paths of files that are mounts. */
  mounted: readonly string[];
}

/** Runs a command with these bytes, if any, as its standard input. */
type Run = (command: Command, stdin?: AsyncIterable<Uint8Array>) => Promise<CommandResult>;

/** Places files in a running sandbox and removes them. */
export class FilePlacer {
  readonly #uploads: Uploads;
  readonly #writable: readonly string[];
  readonly #mounted: readonly string[];
  readonly #run: Run;

  constructor({ uploads, writable, mounted }: FilePaths, run: Run) {
    this.#uploads = uploads;
    this.#writable = writable;
    this.#mounted = mounted;
    this.#run = run;
  }

  /**
   * Places a file. Returns false when that needs a mount. Rejects with `SandboxError` when the source cannot
   * be read.
   */
  async place(file: MountedFile): Promise<boolean> {
    const target = placeable(file.target);
    if (target === null) return false;
    if (isUpload(target)) {
      await this.#uploads.place({ source: file.source, target });
      return true;
    }
    return this.#isWritable(target) && (await this.#writeInside(file.source, target));
  }

  /**
   * Removes a file. Returns false when the file is a mount. Rejects with `SandboxError` when it cannot be
   * removed.
   */
  async remove(path: string): Promise<boolean> {
    const target = placeable(path);
    if (target === null) return true;
    if (this.#mounted.includes(target)) return false;
    if (isUpload(target)) await this.#uploads.remove(target);
    return !this.#isWritable(target) || (await this.#removeInside(target));
  }

  #isWritable(target: string): boolean {
    return this.#writable.some((path) => isBelow(target, path) && target !== path);
  }

  /**
   * Runs in the sandbox: links in the path belong to the agent, and the command has only the agent's
   * permissions.
   */
  async #removeInside(target: string): Promise<boolean> {
    const { ended, exitCode } = await this.#run(command(REMOVE, target));
    if (ended === "exit" && exitCode !== 0) throw new SandboxError("the file could not be removed");
    return ended === "exit";
  }

  /**
   * Runs in the sandbox: the agent owns these directories, so only processes of the sandbox may resolve paths
   * in them.
   */
  async #writeInside(source: string, target: string): Promise<boolean> {
    const handle = await open(source, constants.O_RDONLY).catch((error: unknown) => {
      throw new SandboxError("the file to place cannot be read", { cause: error });
    });
    await handle.close();
    // The stream may fail before the command reads it.
    const contents = createReadStream(source).on("error", () => {});
    const result = await this.#run(command(PLACE, target), contents);
    return result.exitCode === 0;
  }
}

function command(script: string, target: string): Command {
  return { script, environment: { TARGET: target }, timeoutMs: TIMEOUT_MS, cwd: "/" };
}

function isUpload(target: string): boolean {
  return isBelow(target, UPLOADS_INSIDE) && target !== UPLOADS_INSIDE;
}

function placeable(target: string): string | null {
  try {
    return cleanPath(target);
  } catch {
    return null;
  }
}
