import { posix } from "node:path";
import { OWN_PROGRAMS } from "../inside/environment.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";
import { perlText, shellScript } from "../scripts/read-script.ts";

type Runner = Pick<Sandbox, "run">;

const TIMEOUT_MS = 15 * 60_000;
const PREPARE = shellScript("workspace/prepare-disk-snapshot.sh");
const END = shellScript("workspace/end-disk-snapshot.sh");
const TAKE_OVER = shellScript("workspace/git.sh", "workspace/take-over-clone.sh");
const TAKE_OVER_INDEX = new TextEncoder().encode(perlText("workspace/take-over-index.pl"));
/** Directories that process 1 makes on every disk. */
const MADE_DIRECTORIES = [OWN_PROGRAMS, `${OWN_PROGRAMS}/bin`, `${OWN_PROGRAMS}/lib`];
const DISCARD = `chmod -R u+rwX -- "$BERTH_CLONE_TARGET"
rm -rf -- "$BERTH_CLONE_TARGET" 2>/dev/null
[ ! -e "$BERTH_CLONE_TARGET" ] || [ -z "$(find "$BERTH_CLONE_TARGET" -mindepth 1 -print -quit)" ]`;

/**
 * Prepares the disk of a sandbox for a snapshot: everything is synced, and the reflogs of its clones, which
 * name a person, are set aside. `endDiskSnapshot` must follow in any case.
 *
 * @param places All directories of the disk.
 * @param clones Mount paths of the clones.
 * @returns false when the disk contains anything but the clones, or when that is unknown.
 */
export async function prepareDiskSnapshot(
  sandbox: Runner,
  places: readonly string[],
  clones: readonly string[],
): Promise<boolean> {
  const listed = { BERTH_OTHERS: othersCommand(places, clones) };
  return await run(sandbox, withArguments(PREPARE, clones), listed);
}

/** Restores the reflogs of the clones. @returns whether that succeeded. */
export async function endDiskSnapshot(sandbox: Runner, clones: readonly string[]): Promise<boolean> {
  return await run(sandbox, withArguments(END, clones));
}

/**
 * Makes git trust the index of a clone whose files have a new owner; it would otherwise read or rewrite every
 * file.
 *
 * @returns whether that succeeded.
 */
export async function takeOverClone(sandbox: Runner, mountPath: string): Promise<boolean> {
  return await run(sandbox, TAKE_OVER, { BERTH_CLONE_TARGET: mountPath }, TAKE_OVER_INDEX);
}

/** Deletes a clone, with its directory unless that is a mount. @returns whether nothing of it is left. */
export async function discardClone(sandbox: Runner, mountPath: string): Promise<boolean> {
  return await run(sandbox, DISCARD, { BERTH_CLONE_TARGET: mountPath });
}

async function run(
  sandbox: Runner,
  script: string,
  environment: Record<string, string> = {},
  stdin?: Uint8Array,
): Promise<boolean> {
  const input = stdin === undefined ? {} : { stdin };
  const { exitCode } = await sandbox.run({ script, cwd: "/", environment, timeoutMs: TIMEOUT_MS, ...input });
  return exitCode === 0;
}

function withArguments(script: string, words: readonly string[]): string {
  return `set -- ${words.map(quote).join(" ")}\n${script}`;
}

/**
 * Returns a command that prints a path that neither belongs to a clone nor is a directory around one, or one
 * that every sandbox has.
 */
function othersCommand(places: readonly string[], clones: readonly string[]): string {
  const roots = places.filter((place) => !clones.includes(place));
  const around = new Set([...clones.flatMap(parents), ...MADE_DIRECTORIES]);
  const words = [
    ...["find", ...roots, "-mindepth", "1"],
    ...clones.flatMap((path) => ["-path", literally(path), "-prune", "-o"]),
    ...[...around].flatMap((path) => ["-path", literally(path), "-type", "d", "-o"]),
    ...["-print", "-quit"],
  ];
  return words.map(quote).join(" ");
}

function parents(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "/" ? [] : [parent, ...parents(parent)];
}

function literally(path: string): string {
  return path.replaceAll(/[\\*?[\]]/g, "\\$&");
}
