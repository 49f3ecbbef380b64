import assert from "node:assert/strict";
import { test } from "node:test";
import { readCeilings, sharedLimits, usualPids } from "./ceilings.ts";
import { readConfig } from "./read-config.ts";

const GIB = 1024 ** 3;
const machine = { memoryBytes: 8 * GIB, pids: 32_768, openFiles: 10_000_000, cpus: 4 };

test("ceilings: half of the machine and all processors, unless the operator says otherwise", () => {
  assert.deepEqual(readCeilings(readConfig({}), machine, 100 * GIB), {
    cpus: 4,
    memory_mb: 4_096,
    pids: 16_384,
    disk_mb: 51_200,
  });
  const own = { BERTH_MAX_CPUS: "1.5", BERTH_MAX_MEMORY_MB: "512", BERTH_MAX_DISK_MB: "64" };
  assert.deepEqual(readCeilings(readConfig(own, { "max-pids": "100" }), machine, 100 * GIB), {
    cpus: 1.5,
    memory_mb: 512,
    pids: 100,
    disk_mb: 64,
  });
  const few = { ...machine, openFiles: 512_000 };
  assert.equal(readCeilings(readConfig({}), few, 0).pids, 1_000);
  const tiny = { memoryBytes: 100 * 1024 ** 2, pids: 20, openFiles: 100_000, cpus: 1 };
  assert.deepEqual(readCeilings(readConfig({}), tiny, 0), { cpus: 1, memory_mb: 64, pids: 16, disk_mb: 64 });
});

test("ceilings of a service without sandboxes: the settings alone, whatever its machine", () => {
  const tiny = { memoryBytes: 100 * 1024 ** 2, pids: 20, openFiles: 100_000, cpus: 1 };
  assert.deepEqual(readCeilings(readConfig({ BERTH_ROLE: "api", BERTH_MAX_PIDS: "500" }), tiny, 0), {
    cpus: 256,
    memory_mb: 1_048_576,
    pids: 500,
    disk_mb: 1_048_576,
  });
});

test("ceilings of pods: the same with every role and on every machine, unless the operator says otherwise", () => {
  const tiny = { memoryBytes: 100 * 1024 ** 2, pids: 20, openFiles: 100_000, cpus: 1 };
  for (const role of ["api", "runner"])
    assert.deepEqual(
      readCeilings(
        readConfig({ BERTH_SANDBOX: "kubernetes", BERTH_ROLE: role, BERTH_MAX_CPUS: "16" }),
        tiny,
        0,
      ),
      { cpus: 16, memory_mb: 8_192, pids: 1_024, disk_mb: 51_200 },
    );
});

test("settings of ceilings: only what an environment can ask for", () => {
  for (const [name, bad] of [
    ["CPUS", "0.05"],
    ["CPUS", "257"],
    ["MEMORY_MB", "63"],
    ["PIDS", "15"],
    ["DISK_MB", "1048577"],
  ])
    assert.throws(() => readConfig({ [`BERTH_MAX_${name}`]: bad }), /BERTH_MAX_/);
});

test("all sessions together: nine tenths of the machine", () => {
  assert.deepEqual(sharedLimits({ memoryBytes: 10 * GIB, pids: 1_000, openFiles: 100_000, cpus: 1 }), {
    memoryBytes: 9 * GIB,
    pids: 900,
  });
});

test("processes of a session by default: fewer where the table of open files is small", () => {
  const of = (openFiles: number, role = "all", sandbox = "bubblewrap") =>
    usualPids(readConfig({ BERTH_ROLE: role, BERTH_SANDBOX: sandbox }), { ...machine, openFiles });
  assert.deepEqual([of(2 ** 63), of(4_096_000), of(100_000)], [4_096, 1_000, 512]);
  assert.deepEqual([of(100_000, "api"), of(100_000, "runner", "kubernetes")], [4_096, 4_096]);
});
