import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { isBelow, writableMounts } from "../inside/mounts.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { quote } from "../scripts/quote.ts";
import { perlText } from "../scripts/read-script.ts";

const PACK = perlText("saves/pack.pl");
/** Exit code of `pack.pl` when something could not be read. */
const PARTIAL = 60;
const BUFFERED_BYTES = 1024 * 1024;

/** What to pack. All paths are absolute and in the sandbox. */
export interface PackPlan {
  /** The directory to which names are relative, and into which the archive is to be unpacked. */
  root: string;
  /** Directories to pack whole, as far as they are on one filesystem. */
  places: readonly string[];
  /** Left out, with all that is below them. */
  omitted?: readonly string[];
  /** Directories of which only what is different from another one is packed, and what of that is gone. */
  changes?: readonly { directory: string; base: string }[];
}

export interface PackOptions {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Whether all could be read. `partial`: some files could not. */
export type PackOutcome = "whole" | "partial";

/** The archive is not whole: the sandbox ended, the time was over, the signal aborted, or a program is missing in it. */
export class PackError extends Error {
  override readonly name = "PackError";
}

export interface PackedDisk {
  /** Is destroyed with a `PackError` when the archive is not whole. What it says is as hostile as the sandbox. */
  archive: Readable;
  /** Resolves when the archive has ended, and never rejects. */
  outcome: Promise<PackOutcome | null>;
}

/**
 * Packs what is on the disk of a sandbox, by processes of the sandbox: contents, modes, times, symbolic and hard links, holes and
 * extended attributes of users. Nothing is written to its disk, and commands can run meanwhile. The packing waits for whoever reads.
 */
export function packDisk(
  sandbox: Pick<Sandbox, "run">,
  plan: PackPlan,
  { timeoutMs, signal }: PackOptions,
): PackedDisk {
  const archive = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  // It may fail before anybody reads it. Whoever does then is told all the same.
  archive.on("error", () => {});
  let drained: Promise<void> | undefined;
  const onOutput = (chunk: Uint8Array) => {
    if (archive.destroyed || archive.write(chunk)) return;
    drained ??= drainOf(archive).finally(() => {
      drained = undefined;
    });
    return drained;
  };
  const command = {
    script: `exec 2>/dev/null; exec perl -e ${quote(PACK)}`,
    stdin: Buffer.from(recordsOf(plan)),
    cwd: "/",
    environment: { LC_ALL: "C" },
    maxOutputBytes: 0,
    onOutput,
    timeoutMs,
    signal,
  };
  const outcome = sandbox.run(command).then(
    ({ ended, exitCode }) => {
      if (ended === "exit" && (exitCode === 0 || exitCode === PARTIAL)) {
        archive.end();
        return exitCode === 0 ? "whole" : "partial";
      }
      archive.destroy(new PackError(ended === "exit" ? `it ended with ${exitCode}` : `it was ${ended}`));
      return null;
    },
    (error: unknown) => {
      archive.destroy(new PackError("it could not be run", { cause: error }));
      return null;
    },
  );
  return { archive, outcome };
}

/** Resolves when the stream takes more, or never will. */
async function drainOf(archive: PassThrough): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(archive, "drain", { signal }), once(archive, "close", { signal })]).catch(
    () => {},
  );
  over.abort();
}

/** The directories of a sandbox that are on its disk. */
export function diskPlaces(spec: Pick<SandboxSpec, "writable">): string[] {
  return writableMounts(spec, "").mounted.map(({ inside }) => inside);
}

/** Whether the path is on the disk of a sandbox with these places. */
export function isOnDisk(path: string, places: readonly string[]): boolean {
  return places.some((place) => isBelow(path, place));
}

function recordsOf({ root, places, omitted = [], changes = [] }: PackPlan): string {
  const records = [
    ...places.map((path) => ["place", path, ""]),
    ...omitted.map((path) => ["omit", path, ""]),
    ...changes.map(({ directory, base }) => ["changes", directory, base]),
  ];
  return [root, ...records.flat(), ""].join("\0");
}
