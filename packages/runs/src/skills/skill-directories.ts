import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { MountedDirectory } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { Queryable } from "@berth/store/db";
import { type PackedFile, pathFault } from "@berth/store/skills";
import { existingVersions, type PinnedSkill } from "./skill-store.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Versions of skills as directories on this machine, unpacked at first need. Sandboxes can only read them.
 */
export class SkillDirectories {
  readonly #path: string;
  readonly #blobs: BlobStore;

  /** Deletes what a former process unpacked. Only one process at a time may use the directory. */
  static async open(path: string, blobs: BlobStore): Promise<SkillDirectories> {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o755 });
    await chmod(path, 0o755);
    return new SkillDirectories(path, blobs);
  }

  private constructor(path: string, blobs: BlobStore) {
    this.#path = path;
    this.#blobs = blobs;
  }

  /** Returns the directories to mount for a session with these skills. */
  async mounts(skills: readonly PinnedSkill[]): Promise<MountedDirectory[]> {
    return await Promise.all(
      skills.map(async (skill) => ({
        source: await this.#unpackOnce(skill),
        target: `/mnt/skills/${skill.name}`,
      })),
    );
  }

  /** Deletes the directories of versions that were deleted. No session that continues has one. */
  async sweep(db: Queryable): Promise<void> {
    const unpacked = (await readdir(this.#path)).filter((name) => UUID.test(name));
    const existing = await existingVersions(db, unpacked);
    for (const name of unpacked.filter((name) => !existing.has(name))) {
      const gone = join(this.#path, `${name}.${randomUUID()}`);
      await rename(join(this.#path, name), gone);
      await rm(gone, { recursive: true, force: true });
    }
  }

  async #unpackOnce(skill: PinnedSkill): Promise<string> {
    const path = join(this.#path, skill.id);
    if (existsSync(path)) return path;
    const partial = `${path}.${randomUUID()}`;
    try {
      await this.#unpack(skill, partial);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another session that was opened at the same time may have unpacked it first.
      if (!existsSync(path)) throw error;
    }
    return path;
  }

  async #unpack({ files, sha256 }: PinnedSkill, root: string): Promise<void> {
    for (const path of directoriesOf(files)) {
      await mkdir(join(root, path));
      await chmod(join(root, path), 0o755);
    }
    for (const file of files) {
      const fault = pathFault(file.path);
      if (fault !== null) throw new Error(`A file of a skill has a path that ${fault}.`);
      const target = join(root, file.path);
      await pipeline(this.#read(sha256, file), createWriteStream(target, { flags: "wx", mode: 0o600 }));
      await chmod(target, file.executable ? 0o555 : 0o444);
    }
  }

  #read(sha256: string, { offset, size_bytes: size }: PackedFile): Readable {
    if (size === 0) return Readable.from([]);
    return this.#blobs.read(sha256, { start: offset, end: offset + size - 1 });
  }
}

/** Returns every directory that the files need, parents first. */
function directoriesOf(files: readonly PackedFile[]): string[] {
  const directories = new Set<string>(["."]);
  for (const { path } of files) {
    for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) directories.add(parent);
  }
  return [...directories].sort((one, other) => (one < other ? -1 : 1));
}
