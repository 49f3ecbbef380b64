import { randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chmod, copyFile, link, mkdir, open, rename, rm } from "node:fs/promises";
import { posix } from "node:path";
import { type Command, type CommandResult, type MountedFile, SandboxError } from "../sandbox.ts";
import { UPLOADS_INSIDE } from "./bwrap-arguments.ts";
import { quote } from "./command-script.ts";
import { cleanPath, isBelow } from "./disk.ts";
import type { Feed } from "./pipe-feeder.ts";

const LONGEST_MS = 600_000;

/** Puts files into a living sandbox. */
export class FilePlacer {
  readonly #uploads: string;
  readonly #writable: readonly string[];
  readonly #run: (command: Command, feed: Feed) => Promise<CommandResult>;

  /**
   * @param uploads Host directory that the sandbox sees read-only as its uploads.
   * @param writable Places inside into which files are written by a command of the sandbox itself.
   */
  constructor(
    uploads: string,
    writable: readonly string[],
    run: (command: Command, feed: Feed) => Promise<CommandResult>,
  ) {
    this.#uploads = uploads;
    this.#writable = writable;
    this.#run = run;
  }

  /** False where only a mount could put it. Rejects with `SandboxError` when the source cannot be read. */
  async place(file: MountedFile): Promise<boolean> {
    const target = placeable(file.target);
    if (target === null) return false;
    if (isBelow(target, UPLOADS_INSIDE) && target !== UPLOADS_INSIDE) {
      await placeUpload(this.#uploads, { source: file.source, target });
      return true;
    }
    if (!this.#writable.some((place) => isBelow(target, place) && target !== place)) return false;
    return this.#writeInside(file.source, target);
  }

  /** The agent owns these directories, so only a process of the sandbox resolves paths in them. */
  async #writeInside(source: string, target: string): Promise<boolean> {
    const handle = await open(source, constants.O_RDONLY).catch((error: unknown) => {
      throw new SandboxError("the file to place cannot be read", { cause: error });
    });
    await handle.close();
    const temporary = quote(`${posix.dirname(target)}/.${posix.basename(target)}.placing`);
    const script = `umask 022 && mkdir -p -- ${quote(posix.dirname(target))} && rm -f -- ${temporary} &&
cat >${temporary} && chmod 444 -- ${temporary} && mv -fT -- ${temporary} ${quote(target)}`;
    const feed: Feed = async (writer) => {
      for await (const chunk of createReadStream(source)) {
        if (writer.closed) return;
        await writer.write(chunk as Buffer);
      }
    };
    const result = await this.#run({ script, timeoutMs: LONGEST_MS, cwd: "/" }, feed);
    return result.exitCode === 0;
  }
}

/** Puts a file below the uploads directory of the host. Safe while it is mounted: the name appears with all bytes. */
export async function placeUpload(uploads: string, file: MountedFile): Promise<void> {
  const target = `${uploads}/${posix.relative(UPLOADS_INSIDE, file.target)}`;
  const temporary = `${uploads}.${randomUUID()}.placing`;
  try {
    await mkdir(posix.dirname(target), { recursive: true, mode: 0o755 });
    await copyReadOnly(file.source, temporary);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new SandboxError("the file could not be placed", { cause: error });
  }
}

/** A link when its mode already lets the agent read it and nobody write it, else a copy. */
export async function copyReadOnly(source: string, target: string): Promise<void> {
  const handle = await open(source, constants.O_RDONLY);
  const { mode } = await handle.stat().finally(() => handle.close());
  if ((mode & 0o777) === 0o444) {
    const linked = await link(source, target).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o444);
}

function placeable(target: string): string | null {
  try {
    return cleanPath(target);
  } catch {
    return null;
  }
}
