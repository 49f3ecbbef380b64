import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A call that writes, syncs or names a file: its name, the file of its descriptor or its first path, and its
 * second path.
 */
export interface FileCall {
  name: string;
  file: string;
  to?: string;
}

const WRITES = ["write", "writev", "pwrite64", "pwritev", "ftruncate", "truncate"];
const SYNCS = ["fsync", "fdatasync"];
const NAMES = ["rename", "renameat", "renameat2", "link", "linkat"];

export const isWrite = ({ name }: FileCall) => WRITES.includes(name);
export const isSync = ({ name }: FileCall) => SYNCS.includes(name);
export const isNaming = ({ name }: FileCall) => NAMES.includes(name);

/** Whether strace is installed, which `fileCalls` needs. */
export const CAN_TRACE = spawnSync("strace", ["--version"]).status === 0;

/**
 * Runs a module's text in its own process. Returns its calls in order, and what it printed. A killed process
 * loses nothing of the page cache, so only the order of the calls shows what a power failure would leave.
 */
export function fileCalls(directory: string, program: string): { calls: FileCall[]; stdout: string } {
  const output = join(directory, "trace");
  const only = `trace=${[...WRITES, ...SYNCS, ...NAMES].join()}`;
  const node = [process.execPath, "--input-type=module", "-e", program];
  const args = ["-f", "-y", "-s", "0", "-e", only, "-o", output, ...node];
  const ran = spawnSync("strace", args, { encoding: "utf8" });
  assert.equal(ran.status, 0, ran.stderr);
  return { calls: readFileSync(output, "utf8").split("\n").flatMap(parseCall), stdout: ran.stdout.trim() };
}

/**
 * Asserts that a file is durable: its bytes are synced after they are written and before it gets its name,
 * and its directory afterwards. The last file that gets the name counts.
 */
export function assertDurable(calls: readonly FileCall[], path: string): void {
  const named = calls.findLastIndex((call) => isNaming(call) && call.to === path);
  const file = calls[named]?.file;
  const written = calls.findLastIndex((call) => isWrite(call) && call.file === file);
  const synced = calls.findIndex((call, at) => at > written && isSync(call) && call.file === file);
  const ordered = written >= 0 && written < synced && synced < named;
  assert.ok(ordered, `${path} is synced after it is written, and before it is named`);
  assertSynced(calls.slice(named), dirname(path));
}

export function assertSynced(calls: readonly FileCall[], directory: string): void {
  assert.ok(
    calls.some((call) => isSync(call) && call.file === directory),
    `${directory} is synced afterwards`,
  );
}

/**
 * Parses a line of the trace. A call that another thread interrupts has two lines, the first with the
 * arguments.
 */
function parseCall(line: string): FileCall[] {
  const [, name = "", rest = ""] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
  if (name === "") return [];
  const [first, second] = [...rest.matchAll(/"([^"]*)"(?!\.\.\.)/g)].map(([, path = ""]) => path);
  const descriptor = /^\d+<([^>]*)>/.exec(rest)?.[1];
  if (!NAMES.includes(name)) return [{ name, file: descriptor ?? first ?? "" }];
  return [{ name, file: first ?? "", ...(second === undefined ? {} : { to: second }) }];
}
