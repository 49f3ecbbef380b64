import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, realpath, rm, stat } from "node:fs/promises";
import { Pool } from "@berth/concurrency";
import { DiskLimitError } from "../../interface/errors.ts";
import { type DiskImage, imagePrograms, makeImage } from "./disk-image.ts";
import { captureImage, createFromPrototype, type DiskImagePrototype } from "./disk-image-prototype.ts";
import { fsckAndResize, repairImage } from "./fsck-and-resize.ts";
import { missingForImages } from "./missing-for-images.ts";

/** Unit of `blocks` in `stat`, on any filesystem. */
const BLOCK_BYTES = 512;
const READY = 4;
const AT_ONCE = 8;

/**
 * The disk images of one engine. Once the first is needed, images of the default size are made in advance.
 */
export class DiskImages {
  readonly #directory: string;
  readonly #defaultBytes: number | null;
  /** Resolves with null when this machine cannot have images, or when none are made in advance. */
  #pool: Promise<Pool<string> | null> | undefined;

  /**
   * @param directory Directory of the engine, for images that are not used yet.
   * @param defaultBytes Limit of a disk whose spec has none, where this machine can enforce one; null for
   * none.
   */
  constructor(directory: string, defaultBytes: number | null) {
    this.#directory = directory;
    this.#defaultBytes = defaultBytes;
  }

  /**
   * Returns the image of a disk: consistent, unmounted and large enough. An empty disk gets a new image.
   * Returns null for a disk that has no limit, or that was created without one.
   *
   * @throws DiskLimitError when `bytes` is not null and the machine cannot enforce it; SandboxError when the
   * image cannot be made, is broken, or stays in use.
   */
  async prepare(disk: string, bytes: number | null): Promise<DiskImage | null> {
    const path = imageOf(disk);
    if (existsSync(path)) await fsckAndResize(programs(), path, bytes ?? this.#defaultBytes);
    else if (existsSync(`${disk}/data`) || !(await this.#make(disk, path, bytes))) return null;
    return { path: await realpath(path) };
  }

  /** Repairs the image of a disk that could not be mounted. @throws SandboxError when that fails. */
  async repair(disk: string): Promise<void> {
    await repairImage(programs(), imageOf(disk));
  }

  /** Returns the bytes that the image takes on the host; null when the disk has no image. */
  async bytes(disk: string): Promise<number | null> {
    const found = await stat(imageOf(disk)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    return found === null ? null : found.blocks * BLOCK_BYTES;
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }

  /** Returns false when the disk gets no image. */
  async #make(disk: string, path: string, bytes: number | null): Promise<boolean> {
    const pool = bytes === null || bytes === this.#defaultBytes ? await this.#madeAhead() : null;
    if (bytes === null && pool === null) return false;
    await mkdir(disk, { recursive: true, mode: 0o711 });
    const made = await pool?.take();
    if (made !== undefined && (await move(made, path))) return true;
    await makeImage(programs(), path, bytes ?? this.#defaultBytes ?? 0);
    return true;
  }

  #madeAhead(): Promise<Pool<string> | null> {
    this.#pool ??= this.#openPool();
    return this.#pool;
  }

  async #openPool(): Promise<Pool<string> | null> {
    const bytes = this.#defaultBytes;
    if (bytes === null || (await missingForImages(this.#directory)) !== null) return null;
    // Without a prototype, for example while the host's disk is full, mkfs makes each image.
    const prototype = await captureImage(programs(), this.#newPath(), bytes).catch(() => null);
    return new Pool<string>({
      ready: READY,
      batch: AT_ONCE,
      make: (count) => Promise.all(Array.from({ length: count }, () => this.#makeOne(bytes, prototype))),
      release: (path) => void rm(path, { force: true }).catch(() => {}),
    });
  }

  async #makeOne(bytes: number, prototype: DiskImagePrototype | null): Promise<string> {
    const path = this.#newPath();
    await (prototype === null ? makeImage(programs(), path, bytes) : createFromPrototype(prototype, path));
    return path;
  }

  #newPath(): string {
    return `${this.#directory}/${randomBytes(8).toString("hex")}.ext4`;
  }
}

/**
 * Moves a file without overwriting: a file that another process has put at `to` is kept. Returns false when
 * the paths are on different filesystems.
 */
async function move(from: string, to: string): Promise<boolean> {
  const linked = await link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EEXIST",
  );
  await rm(from, { force: true });
  return linked;
}

/** Returns the path of a disk's image, whether or not it exists. */
export function imageOf(disk: string): string {
  return `${disk}/disk.ext4`;
}

function programs() {
  const found = imagePrograms();
  if (typeof found === "string") throw new DiskLimitError(found);
  return found;
}
