// Subject: limits of a sandbox's memory, processes and disk space (cgroup/, commands/limit-gauge.ts).
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { freshEngine } from "../../test-support/bubblewrap.ts";
import { ok, sh } from "../../test-support/conformance/context.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import { diskLimit } from "./probe.ts";

const MIB = 1024 * 1024;
const root = process.getuid?.() === 0;
const skip = root ? false : "without root no control group counts";
const disk = await diskLimit(tmpdir());
const noImage = skip || (disk.state === "yes" ? false : disk.detail);
let directory: string;
let engine: SandboxEngine;
let close: () => Promise<void>;

beforeEach(async () => {
  ({ directory, engine, close } = await freshEngine(`test-limits-${process.pid}`));
});
afterEach(() => close());

function open(diskBytes: number | null = null): Promise<Sandbox> {
  return engine.open({
    id: "limits",
    disk: join(directory, "disk"),
    uid: (process.pid % 10_000) + 110_000,
    limits: { memoryBytes: 64 * MIB, pids: 32, cpus: 1, diskBytes },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  });
}

test("memory limit: reported for the command that met it, also when it succeeded, and not for the next one", {
  skip,
}, async () => {
  const sandbox = await open();
  const hog = await sh(sandbox, "head -c 200M /dev/zero | tail -c 200M >/dev/null; exit 0");
  assert.deepEqual([hog.ended, hog.exitCode, hog.limit], ["exit", 0, "memory"]);
  const calm = await sh(sandbox, "exit 3");
  assert.deepEqual([calm.exitCode, calm.limit, calm.cleared], [3, undefined, undefined]);
});

test("a full /dev/shm leaves memory for commands, and files in /tmp take none", { skip }, async () => {
  const sandbox = await open();
  assert.equal(await ok(sandbox, "head -c 100M /dev/zero >/tmp/x && rm /tmp/x && echo alive"), "alive");
  assert.match((await sh(sandbox, "head -c 100M /dev/zero >/dev/shm/x")).text, /No space left on device/);
  assert.equal(await ok(sandbox, "df --output=avail /dev/shm | tail -n 1 | tr -d ' \\n'"), "0");
  assert.equal(await ok(sandbox, "rm /dev/shm/x; echo alive"), "alive");
});

test("memory limit: processes of commands are killed before process 1", { skip }, async () => {
  const sandbox = await open();
  assert.equal(
    await ok(sandbox, "cat /proc/self/oom_score_adj /proc/1/oom_score_adj | tr '\\n' ' '"),
    "1000 0 ",
  );
  assert.equal(await ok(sandbox, "cat /proc/self/oom_score_adj", { shell: "main" }), "1000");
  const refused = await sh(sandbox, "echo -1 >/proc/self/oom_score_adj");
  assert.match(refused.text, /error/i);
});

test("process limit: processes that a command left are killed when it ends, and its shell lives on", {
  skip,
}, async () => {
  const sandbox = await open();
  await ok(sandbox, "kept=yes", { shell: "main" });
  await ok(sandbox, "sleep 8888 &", { shell: "main" });
  const script = "sh -c 'while :; do sleep 7777 & done' 2>/dev/null; echo left";
  const filling = await sh(sandbox, script, { shell: "main", timeoutMs: 60_000 });
  assert.deepEqual([filling.ended, filling.limit, filling.cleared], ["exit", "processes", true]);
  assert.equal(await ok(sandbox, "ps -eo args | grep -c '^sleep 7777' || echo none"), "0\nnone");
  assert.equal(
    await ok(sandbox, "ps -eo args | grep -c '^sleep 8888'; echo $kept", { shell: "main" }),
    "1\nyes",
  );
});

test("process limit: killing those is not enough → the sandbox ends and opens again", { skip }, async () => {
  const sandbox = await open();
  const nearly = "i=0; while [ $i -lt 31 ]; do sleep 7777 & i=$((i+1)); done";
  await sh(sandbox, nearly);
  const next = await sh(sandbox, "sleep 0 | sleep 0 | sleep 0 | sleep 0");
  assert.deepEqual([next.limit, next.cleared], ["processes", true]);
  await sandbox.closed;
  assert.equal(await ok(await open(), "echo again"), "again");
});

test("full disk: reported for a command that fails, and kept output that does not fit leaves no file", {
  skip: noImage,
}, async () => {
  const sandbox = await open(64 * MIB);
  const flood = await sh(sandbox, "yes | head -c 150M", { keepOutput: true });
  assert.deepEqual([flood.ended, flood.exitCode, flood.outputFile], ["exit", 0, null]);
  assert.equal(flood.output.length + flood.omittedBytes, 150 * MIB);
  assert.equal(await ok(sandbox, "ls -A /var/tmp/output"), "");
  assert.equal((await sh(sandbox, "head -c 100M /dev/zero >/tmp/x")).limit, "disk");
  await ok(sandbox, "rm /tmp/x");
  assert.equal((await sh(sandbox, "head -c 100M /dev/zero >/data/x")).limit, "disk");
  assert.equal((await sh(sandbox, "rm /data/x; exit 1")).limit, undefined);
  const inodes = await sh(
    sandbox,
    "mkdir /data/many && cd /data/many && seq 30000 | xargs touch 2>/dev/null",
  );
  assert.equal(inodes.limit, "disk");
});
