import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the directory with a kit's programs, which are unpacked once per user of the machine. */
export async function unpackPrograms(kit: string): Promise<string> {
  const packed = join(kit, "bin");
  const names = (await readdir(packed)).filter((name) => name.endsWith(".zst")).sort();
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "berth-tests");
  const directory = join(cache, `kubernetes-${await keyOf(packed, names)}`);
  if (existsSync(directory)) return directory;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(`${directory}-`);
  for (const name of names) {
    const path = join(made, name.slice(0, -".zst".length));
    await run("zstd", ["-dq", "--long=27", join(packed, name), "-o", path]);
    await chmod(path, 0o755);
  }
  await chmod(made, 0o755);
  // Another test may have been faster.
  await rename(made, directory).catch(() => rm(made, { recursive: true }));
  return directory;
}

async function keyOf(directory: string, names: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const name of names) {
    const { size, mtimeMs } = await stat(join(directory, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
