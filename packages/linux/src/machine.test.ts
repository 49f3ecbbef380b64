import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { readMachine } from "./machine.ts";

/** Creates a machine with 8 GiB of memory and these files. */
function machine(t: TestContext, files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "berth-machine-"));
  t.after(() => rmSync(root, { recursive: true }));
  const all = {
    "proc/meminfo": "MemTotal:        8388608 kB\nMemFree:  1 kB\n",
    "proc/sys/kernel/pid_max": "4194304\n",
    "proc/sys/kernel/threads-max": "60000\n",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { memoryBytes, pids } = readMachine({ proc: join(root, "proc"), cgroup: join(root, "cgroup") });
  return { memoryMb: memoryBytes / 2 ** 20, pids };
}

test("no control group: the kernel's memory, and the lowest of its limits of processes", (t) => {
  assert.deepEqual(machine(t, {}), { memoryMb: 8192, pids: 60_000 });
  assert.equal(machine(t, { "proc/sys/kernel/pid_max": "32768\n" }).pids, 32_768);
});

test("version 2: the lowest limit of the own group and of those above", (t) => {
  const groups = {
    "proc/self/cgroup": "0::/system.slice/berth.service\n",
    "cgroup/system.slice/berth.service/memory.max": "max\n",
    "cgroup/system.slice/berth.service/pids.max": "4915\n",
    "cgroup/system.slice/memory.max": "1073741824\n",
  };
  assert.deepEqual(machine(t, groups), { memoryMb: 1024, pids: 4_915 });
});

test("version 1: each controller's own group, and those that a container does not see", (t) => {
  const groups = {
    "proc/self/cgroup": "9:name=systemd:/\n8:pids:/docker/a\n4:memory:/docker/a\n",
    "cgroup/pids/docker/a/pids.max": "1000\n",
    "cgroup/memory/memory.limit_in_bytes": "536870912\n",
  };
  assert.deepEqual(machine(t, groups), { memoryMb: 512, pids: 1_000 });
});
