import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, realpath, rm } from "node:fs/promises";
import { Pool } from "@berth/concurrency";
import { DiskLimitError } from "../../interface/errors.ts";
import { type DiskImage, imagePrograms, makeImage } from "./disk-image.ts";
import { captureImage, createFromPrototype, type DiskImagePrototype } from "./disk-image-prototype.ts";
import { fsckAndResize, repairImage } from "./fsck-and-resize.ts";
import { missingForImages } from "./missing-for-images.ts";

const READY = 4;
const AT_ONCE = 8;

/** The images of one engine's disks. Those of the usual size are made ahead. */
export class DiskImages {
  readonly #directory: string;
  readonly #usual: number | null;
  /** Null where this machine cannot have images, or none is made ahead. */
  readonly #stock: Promise<Pool<string> | null>;

  /**
   * @param directory of the engine, for those that nobody took yet.
   * @param usual Bytes of a disk whose spec names no limit, where this machine can enforce one; null for none.
   */
  constructor(directory: string, usual: number | null) {
    this.#directory = directory;
    this.#usual = usual;
    this.#stock = this.#open();
  }

  /**
   * The image of a disk, whole, unmounted and large enough: made for a disk that has nothing on it yet, or the one of before.
   * Null for a disk without a limit, or one that was made without.
   *
   * @throws DiskLimitError where `bytes` are named and the machine cannot enforce them, and SandboxError when the image cannot
   * be made, is broken, or stays in use.
   */
  async prepare(disk: string, bytes: number | null): Promise<DiskImage | null> {
    const path = imageOf(disk);
    if (existsSync(path)) await fsckAndResize(programs(), path, bytes ?? this.#usual);
    else if (existsSync(`${disk}/data`) || !(await this.#make(disk, path, bytes))) return null;
    return { path: await realpath(path) };
  }

  /** Mends the image of a disk that could not be mounted. @throws SandboxError when it cannot be mended. */
  async mend(disk: string): Promise<void> {
    await repairImage(programs(), imageOf(disk));
  }

  async close(): Promise<void> {
    await (await this.#stock)?.close();
  }

  /** False where the disk is to have none. */
  async #make(disk: string, path: string, bytes: number | null): Promise<boolean> {
    const stock = bytes === null || bytes === this.#usual ? await this.#stock : null;
    if (bytes === null && stock === null) return false;
    await mkdir(disk, { recursive: true, mode: 0o711 });
    const made = await stock?.take();
    if (made !== undefined) {
      const linked = await moved(made, path);
      if (linked) return true;
    }
    await makeImage(programs(), path, bytes ?? this.#usual ?? 0);
    return true;
  }

  async #open(): Promise<Pool<string> | null> {
    const bytes = this.#usual;
    if (bytes === null || (await missingForImages(this.#directory)) !== null) return null;
    // Without one, as on a disk that is full just now, each is made by itself.
    const mold = await captureImage(programs(), this.#newPath(), bytes).catch(() => null);
    return new Pool<string>({
      ready: READY,
      batch: AT_ONCE,
      make: (count) => Promise.all(Array.from({ length: count }, () => this.#makeOne(bytes, mold))),
      release: (path) => void rm(path, { force: true }).catch(() => {}),
    });
  }

  async #makeOne(bytes: number, mold: DiskImagePrototype | null): Promise<string> {
    const path = this.#newPath();
    await (mold === null ? makeImage(programs(), path, bytes) : createFromPrototype(mold, path));
    return path;
  }

  #newPath(): string {
    return `${this.#directory}/${randomBytes(8).toString("hex")}.ext4`;
  }
}

/** False when they lie on different filesystems. One that somebody else has put there meanwhile stays. */
async function moved(from: string, to: string): Promise<boolean> {
  const linked = await link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EEXIST",
  );
  await rm(from, { force: true });
  return linked;
}

/** Where the image of a disk lies, if it has one. */
export function imageOf(disk: string): string {
  return `${disk}/disk.ext4`;
}

function programs() {
  const found = imagePrograms();
  if (typeof found === "string") throw new DiskLimitError(found);
  return found;
}
