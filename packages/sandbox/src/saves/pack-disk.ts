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

/** The plan of what to pack. All paths are absolute and in the sandbox. */
export interface PackPlan {
  /** Directory to which names in the archive are relative, and into which the archive is to be unpacked. */
  root: string;
  /** Directories to pack whole, without other filesystems mounted in them. */
  places: readonly string[];
  /** Paths to omit, with everything below them. */
  omitted?: readonly string[];
  /** Directories of which only the differences to another directory are packed, including deletions. */
  changes?: readonly { directory: string; base: string }[];
}

export interface PackOptions {
  timeoutMs: number;
  signal: AbortSignal;
}

/** `partial` when some files could not be read. */
export type PackOutcome = "whole" | "partial";

/**
 * The archive is incomplete: the sandbox ended, the timeout passed, the signal aborted, or the sandbox lacks
 * a program.
 */
export class PackError extends Error {
  override readonly name = "PackError";
}

export interface PackedDisk {
  /**
   * Destroyed with a `PackError` when the archive is incomplete. Its contents are as untrusted as the
   * sandbox.
   */
  archive: Readable;
  /** Resolves when the archive has ended, with null when it is incomplete. Never rejects. */
  outcome: Promise<PackOutcome | null>;
}

/**
 * Packs the contents of a sandbox's disk, by processes of the sandbox: file contents, modes, times, symbolic
 * and hard links, holes and user extended attributes. Writes nothing to the disk, and commands can run
 * meanwhile. Packing pauses while the reader is slow.
 */
export function packDisk(
  sandbox: Pick<Sandbox, "run">,
  plan: PackPlan,
  { timeoutMs, signal }: PackOptions,
): PackedDisk {
  const archive = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  // The stream may fail before anybody reads it; a later reader still gets the error.
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

/** Resolves when the stream accepts more data, or is closed. */
async function drainOf(archive: PassThrough): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(archive, "drain", { signal }), once(archive, "close", { signal })]).catch(
    () => {},
  );
  over.abort();
}

/** Returns the directories of a sandbox that are on its disk. */
export function diskPlaces(spec: Pick<SandboxSpec, "writable">): string[] {
  return writableMounts(spec, "").mounted.map(({ inside }) => inside);
}

/** Returns whether the path is on the disk of a sandbox with these places. */
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
