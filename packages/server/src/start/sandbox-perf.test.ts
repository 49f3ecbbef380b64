// Subject: BERTH_SANDBOX_PERF, from the setting to the filter of a sandbox.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { syscallNumbers } from "@berth/linux";
import { perfIsBounded } from "@berth/sandbox";
import { pino } from "pino";
import { readConfig } from "../config/read-config.ts";
import { openEngine } from "./open-engine.ts";

const OPEN = syscallNumbers(process.arch === "arm64" ? "arm64" : "x64").perf_event_open;
/** Counts the time that this process runs, without the kernel. */
const COUNT = `perl -e '$! = 0; my $attributes = pack "L2 Q5 Q Q2", 1, 64, 1, 0, 0, 0, 0x60, 0, 0; my $counter = syscall(${OPEN}, $attributes, 0, -1, -1, 0); $counter >= 0 or print("$!") && exit;
open(my $file, "<&=", $counter); for (1 .. 1e5) { $x += $_ } sysread $file, my $value, 8; print unpack("Q", $value) > 0 ? "counted" : "nothing"'`;

test("sandbox_perf: auto → counters of own processes, where the kernel bounds them; off → none", async () => {
  for (const [setting, expected] of [
    ["auto", perfIsBounded() ? "counted" : "Operation not permitted"],
    ["off", "Operation not permitted"],
  ] as const) {
    const dataDir = await mkdtemp(join(tmpdir(), "berth-perf-"));
    const config = readConfig({ BERTH_DATA_DIR: dataDir, BERTH_SANDBOX_PERF: setting });
    const engine = await openEngine(config, "doctor", pino({ level: "silent" }));
    try {
      const sandbox = await engine.open({
        id: "perf",
        disk: join(dataDir, "disk"),
        uid: process.getuid?.() === 0 ? 71_700 : (process.getuid?.() ?? 0),
        limits: { memoryBytes: 256 * 1_048_576, pids: 32, cpus: 1, diskBytes: null },
        egress: { mode: "limited", hosts: [] },
        files: [],
        writable: [],
      });
      const { output } = await sandbox.run({ script: COUNT, timeoutMs: 60_000 });
      assert.equal(Buffer.from(output).toString(), expected);
    } finally {
      await engine.close();
      await rm(dataDir, { recursive: true });
    }
  }
});
