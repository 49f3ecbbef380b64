// Subject: what is built once and used often is synced before it can be used. Killing a process loses nothing
// in the page cache, so only the order of the calls shows what a power failure would leave.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Command, CommandResult } from "../interface/command.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { buildSnapshot } from "../workspace/build-snapshot.ts";
import { DEFAULT_LAYER_LIMITS } from "./layer-limits.ts";
import { makeLayer } from "./make-layer.ts";

/**
 * Makes a directory with programs that precede the system's on the PATH. `sync` records its arguments and the
 * existing files.
 */
function recorded(t: TestContext, others: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "berth-built-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const bin = join(directory, "bin");
  mkdirSync(bin);
  const log = join(directory, "log");
  writeFileSync(log, "");
  const sync = `echo "$*" >>${log}; cd ${directory} && ls -d made* >>${log}; exit 0`;
  for (const [name, text] of Object.entries({ sync, ...others })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const synced = () => readFileSync(log, "utf8").trim().split("\n");
  return { directory, path: `${bin}:${process.env.PATH}`, synced };
}

const ENDED: CommandResult = { exitCode: 0, output: new Uint8Array(), ended: "exit" } as never;

test("layer: it is synced before it gets its name", async (t) => {
  const { directory, path, synced } = recorded(t);
  const former = process.env.PATH;
  process.env.PATH = path;
  t.after(() => {
    process.env.PATH = former;
  });
  const sandbox = { run: async () => ENDED, close: async () => {} };
  const engine = { open: async () => sandbox, takeChanges: async () => true } as unknown as SandboxEngine;
  const made = join(directory, "made");
  const failure = await makeLayer(engine, {
    path: made,
    plan: { name: "it", script: "", environment: {}, egress: { mode: "limited", hosts: [] } },
    system: { rootFilesystem: "/" },
    limits: { ...DEFAULT_LAYER_LIMITS, spared: 0 },
    limited: true,
    signal: new AbortController().signal,
  });
  assert.equal(failure, null);
  assert.deepEqual(synced(), [`-f ${made}.making`, "made.making"]);
});

test("root filesystem: it is synced before it gets its name", {
  skip: process.getuid?.() !== 0 && "it is built by root",
}, (t) => {
  const mmdebstrap = 'for part; do case $part in */tree) mkdir -p "$part/etc" "$part/usr/sbin" ;; esac; done';
  const lines = "debian git\nsuite trixie";
  const { directory, path, synced } = recorded(t, { mmdebstrap });
  const made = join(directory, "made");
  const script = shellScript("system/debian-tree.sh", "system/build-root-filesystem.sh");
  const args = ["-c", script, "sh", made, lines, "https://registry.example"];
  const { status, stderr } = spawnSync("sh", args, { env: { PATH: path }, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.deepEqual(synced(), [`-f ${made}.making/tree`, "made.making"]);
});

test("snapshot: it is synced before it is reported as built", async (t) => {
  const { directory, path, synced } = recorded(t);
  const mirror = join(directory, "mirror.git");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: directory });
  git("init", "-q", "-b", "main", "work");
  git("-C", "work", "commit", "-q", "--allow-empty", "-m", "One");
  git("clone", "-q", "--mirror", "work", mirror);
  const made = join(directory, "made");
  const run = async ({ script, environment }: Command): Promise<CommandResult> => {
    const here = { BERTH_MIRROR_DIRECTORY: mirror, BERTH_SNAPSHOT_DIRECTORY: made };
    const identity = { GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" };
    const env = { ...environment, ...here, ...identity, PATH: path, HOME: directory };
    const { status, stdout } = spawnSync("sh", ["-c", `${script}`], { env });
    return { ...ENDED, exitCode: status, output: stdout };
  };
  const limits = { maxBytes: 2 ** 28, maxFiles: 1_000, timeoutMs: 60_000 };
  const built = await buildSnapshot(
    { run } as never,
    "https://git.example/a",
    { head: "main", branch: "main", commit: "", ref: "" },
    { ...limits, signal: new AbortController().signal },
  );
  assert.match("commit" in built ? built.commit : built.reason, /^[0-9a-f]{40}$/);
  assert.deepEqual(synced(), [`-f ${made}`, "made"]);
});
