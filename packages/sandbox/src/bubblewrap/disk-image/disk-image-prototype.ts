import { execFile } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { findProgram } from "@berth/linux";
import { SandboxError } from "../../interface/errors.ts";
import { type ImagePrograms, MIB, makeImage, writeImage } from "./disk-image.ts";

const run = promisify(execFile);

/** A new filesystem writes some hundred KiB. Where a file tells no holes, all of it would be kept in memory. */
const MAX_BYTES = 4 * MIB;

/** What a new filesystem of one size has written; the rest of its file is a hole. */
export interface DiskImagePrototype {
  length: number;
  pieces: readonly { at: number; bytes: Buffer }[];
}

/**
 * Makes an image at a path that nothing else uses, and takes its mold: pouring one takes no program. Null where the filesystem
 * below does not tell holes. Images of one mold have one UUID, which nothing here looks for them by.
 */
export async function captureImage(
  programs: ImagePrograms,
  path: string,
  bytes: number,
): Promise<DiskImagePrototype | null> {
  await makeImage(programs, path, bytes);
  const file = await open(path, "r");
  try {
    const places = await written(path);
    const kept = places.reduce((sum, { length }) => sum + length, 0);
    if (kept > MAX_BYTES) return null;
    const { size: length } = await file.stat();
    const pieces = places.map(async ({ at, length }) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
      if (bytesRead !== length) throw new SandboxError("the mold of disks could not be read");
      return { at, bytes: buffer };
    });
    return { length, pieces: await Promise.all(pieces) };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** A new image; see `writeImage`. */
export async function createFromPrototype(
  { length, pieces }: DiskImagePrototype,
  path: string,
): Promise<void> {
  await writeImage(path, length, async (file) => {
    for (const { at, bytes } of pieces) await file.write(bytes, 0, bytes.length, at);
  });
}

/** Asks the kernel where the data of a file lie, as Node cannot. */
async function written(path: string): Promise<{ at: number; length: number }[]> {
  const script = `
open(my $file, "<", $ARGV[0]) or die "$!\\n";
my $hole = 0;
while (defined(my $data = sysseek($file, $hole, 3))) {
  $hole = sysseek($file, $data, 4) // die "$!\\n";
  print $data + 0, " ", $hole - $data, "\\n";
}`;
  const { stdout } = await run(findProgram("perl") ?? "perl", ["-e", script, path], { env: {} });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [at, length] = line.split(" ").map(Number);
      return { at: at ?? 0, length: length ?? 0 };
    });
}
