import { type ChildProcess, spawn } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { SandboxError } from "../interface/errors.ts";
import { shellScript } from "../scripts/read-script.ts";
import { useRootFilesystem } from "./build-root-filesystem.ts";
import { type Recipe, recipeKey } from "./recipe.ts";

const IMPORT = shellScript("system/import-root-filesystem.sh");

/**
 * Packs a root filesystem into a new file, `.tar.zst`, from which another machine of the same architecture and
 * version of Berth can import it. The file exists only once it is complete.
 *
 * @throws SandboxError when there is no root filesystem, or the file exists.
 */
export async function exportRootFilesystem(path: string, file: string, signal: AbortSignal): Promise<void> {
  const release = useRootFilesystem(path);
  if (release === null) throw new SandboxError(`there is no system at ${path}`);
  const part = `${file}.part`;
  try {
    if (existsSync(file)) throw new SandboxError(`${file} exists`);
    const options = ["--create", "--numeric-owner", "--sort=name", "--one-file-system"];
    const tar = start("tar", [...options, "--directory", dirname(path), basename(path)]);
    const ended = endOf(tar, "tar");
    if (tar.stdout === null) throw new Error("tar has no output");
    await Promise.all([
      pipeline(tar.stdout, createZstdCompress(), createWriteStream(part, { mode: 0o644 }), { signal }),
      ended,
    ]);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
    release();
  }
}

/**
 * Unpacks the root filesystem of a recipe from a file of `exportRootFilesystem` into a directory, unless it is
 * there, and returns its path. A file that fails leaves nothing.
 *
 * @throws SandboxError when the file has another root filesystem, is damaged, or has what no root filesystem
 *   has.
 */
export async function importRootFilesystem(
  directory: string,
  recipe: Recipe,
  file: string,
  signal: AbortSignal,
): Promise<string> {
  const path = `${directory}/${recipeKey(recipe)}`;
  if (!existsSync(file)) throw new SandboxError(`there is no file ${file}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unpack = start("flock", ["--close", `${path}.lock`, "sh", "-c", IMPORT, "sh", path]);
  const ended = endOf(unpack, "it could not be unpacked");
  if (unpack.stdin === null) throw new Error("tar has no input");
  const [piped, unpacked] = await Promise.allSettled([
    pipeline(createReadStream(file), createZstdDecompress(), unpack.stdin, { signal }),
    ended,
  ]);
  // Why the archive ended matters more than what became of its reader.
  if (piped.status === "rejected" && !isBrokenPipe(piped.reason))
    throw new SandboxError(`${file} is damaged: ${(piped.reason as Error).message}`);
  if (unpacked.status === "rejected") throw unpacked.reason;
  return path;
}

function start(program: string, args: readonly string[]): ChildProcess {
  return spawn("setpriv", ["--pdeathsig", "TERM", "--", program, ...args], {
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Rejects with the last line of the program's errors unless it ends with 0. */
async function endOf(child: ChildProcess, what: string): Promise<void> {
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors = (errors + String(chunk)).slice(-4_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new SandboxError(errors.trim().split("\n").at(-1) || `${what} failed`);
}

function isBrokenPipe(error: unknown): boolean {
  return ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes((error as NodeJS.ErrnoException).code ?? "");
}
