import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { MountedDirectory } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Queryable } from "../../db/statement.ts";
import type { PackedFile } from "../../features/skills/pack-skill.ts";
import { pathFault } from "../../features/skills/skill-paths.ts";
import type { PinnedSkill } from "./session-skills.ts";

/** Versions of skills as directories on this machine, each unpacked when it is first needed. */
export interface SkillDirectories {
  /** What is to be mounted for a session that has these. */
  mounted(skills: readonly PinnedSkill[]): Promise<MountedDirectory[]>;
  /** Removes versions that were deleted, which no session that goes on has. */
  sweep(db: Queryable): Promise<void>;
}

/**
 * Begins with nothing: what a former process unpacked, whole or in part, is removed. Only one process at a time uses the
 * directory. Sandboxes see what lies there read-only.
 */
export async function openSkillDirectories(directory: string, blobs: BlobStore): Promise<SkillDirectories> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await chmod(directory, 0o755);

  async function unpacked(skill: PinnedSkill): Promise<string> {
    const path = join(directory, skill.id);
    if (existsSync(path)) return path;
    const partial = `${path}.${randomUUID()}`;
    try {
      await unpack(skill, partial);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // Another session's sandbox that was opened at the same time had it there first.
      if (!existsSync(path)) throw error;
    }
    return path;
  }

  async function unpack({ files, sha256 }: PinnedSkill, root: string): Promise<void> {
    for (const path of directoriesOf(files)) {
      await mkdir(join(root, path));
      await chmod(join(root, path), 0o755);
    }
    for (const file of files) {
      const wrong = pathFault(file.path);
      if (wrong !== null) throw new Error(`A file of a skill has a path that ${wrong}.`);
      const target = join(root, file.path);
      await pipeline(contentOf(blobs, sha256, file), createWriteStream(target, { flags: "wx", mode: 0o600 }));
      await chmod(target, file.executable ? 0o555 : 0o444);
    }
  }

  return {
    mounted: (skills) =>
      Promise.all(
        skills.map(async (skill) => ({
          source: await unpacked(skill),
          target: `/mnt/skills/${skill.name}`,
        })),
      ),
    async sweep(db) {
      const unpacked = (await readdir(directory)).filter((name) => UUID.test(name));
      const there = await versionsAmong(db, unpacked);
      for (const name of unpacked.filter((name) => !there.has(name))) {
        const gone = join(directory, `${name}.${randomUUID()}`);
        await rename(join(directory, name), gone);
        await rm(gone, { recursive: true, force: true });
      }
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function versionsAmong(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const text = "select id from skill_versions where id = any($1::uuid[])";
  const { rows } = await db.query<{ id: string }>({ name: "skill_versions_among", text, values: [ids] });
  return new Set(rows.map(({ id }) => id));
}

/** Every directory that the files need, outermost first. */
function directoriesOf(files: readonly PackedFile[]): string[] {
  const directories = new Set<string>(["."]);
  for (const { path } of files) {
    for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) directories.add(parent);
  }
  return [...directories].sort((one, other) => (one < other ? -1 : 1));
}

function contentOf(blobs: BlobStore, sha256: string, { offset, size_bytes: size }: PackedFile): Readable {
  return size === 0 ? Readable.from([]) : blobs.read(sha256, { start: offset, end: offset + size - 1 });
}
