import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findHierarchies } from "./cgroup-layouts.ts";
import { Cgroups } from "./cgroups.ts";

const limits = { memoryBytes: 64 * 1024 * 1024, pids: 10, cpus: 0.5, diskBytes: null };

function fakeTree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "berth-groups-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("version 2: one group below the server's own, with its controllers enabled and every limit set", async () => {
  const root = fakeTree({
    "service/cgroup.controllers": "cpuset cpu io memory pids\n",
    "service/cgroup.procs": "",
    "service/cgroup.subtree_control": "",
  });
  try {
    const groups = new Cgroups(findHierarchies(root, "0::/service\n"), "one");
    assert.deepEqual(groups.controllers, ["memory", "pids", "cpu"]);
    const group = await groups.create("box");
    assert.ok(!existsSync(`${root}/service/berth-one/box/memory.max`));
    await group.limit(limits);
    const directory = `${root}/service/berth-one/box`;
    assert.deepEqual(group.processFiles, [`${directory}/cgroup.procs`]);
    const read = (path: string) => readFileSync(path, "utf8");
    assert.equal(read(`${root}/service/cgroup.subtree_control`), "+memory +pids +cpu");
    assert.equal(read(`${root}/service/berth-one/cgroup.subtree_control`), "+memory +pids +cpu");
    assert.equal(read(`${directory}/memory.max`), String(limits.memoryBytes));
    assert.equal(read(`${directory}/memory.swap.max`), "0");
    assert.equal(read(`${directory}/pids.max`), "14");
    assert.equal(read(`${directory}/cpu.max`), "50000 100000");
    await group.liftCpuLimit();
    assert.match(read(`${directory}/cpu.max`), /^max/);
    assert.deepEqual(await groups.names(), ["box"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("version 2: own group not writable → groups at the root, with the available controllers", () => {
  const root = fakeTree({ "cgroup.controllers": "memory pids", "cgroup.procs": "" });
  try {
    const [hierarchy] = findHierarchies(root, "0::/elsewhere\n");
    assert.equal(hierarchy?.directory, root);
    assert.deepEqual(
      hierarchy?.settings(limits).map(({ file }) => file),
      ["memory.max", "memory.swap.max", "pids.max"],
    );
    assert.deepEqual(findHierarchies(`${root}/none`, "0::/\n"), []);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("all groups together: the parent has their limits, also when another process removed it meanwhile", async () => {
  const root = fakeTree({ "cgroup.controllers": "memory pids", "cgroup.procs": "" });
  try {
    const shared = { memoryBytes: 2 ** 30, pids: 500 };
    const groups = new Cgroups(findHierarchies(root, "0::/\n"), "one", shared);
    const parent = `${root}/berth-one`;
    const limitsOfParent = () =>
      ["memory.max", "pids.max"].map((file) => Number(readFileSync(`${parent}/${file}`, "utf8")));
    for (const name of ["first", "second"]) {
      await groups.create(name);
      assert.deepEqual(limitsOfParent(), [2 ** 30, 500]);
      rmSync(parent, { recursive: true });
    }
    assert.equal(await groups.sharedLimitsHold(), true);
    assert.equal(await new Cgroups([], "one", shared).sharedLimitsHold(), false);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("this machine: all groups together cannot have more processes than their parent", async (context) => {
  const hierarchies = findHierarchies("/sys/fs/cgroup", readFileSync("/proc/self/cgroup", "utf8"));
  const shared = { memoryBytes: 2 ** 30, pids: 12 };
  const groups = new Cgroups(hierarchies, `test-shared-${process.pid}`, shared);
  if (!groups.controllers.includes("pids")) return context.skip("no control group can be made here");
  try {
    const cgroups = await Promise.all(["one", "two"].map((name) => groups.create(name)));
    for (const group of cgroups) await group.limit(limits);
    const counts = cgroups.map(async ({ processFiles }) => {
      const join = `for f in ${processFiles.join(" ")}; do echo $$ >$f || exit 1; done`;
      // Each group could have 14 processes of its own.
      const fill = `for i in 1 2 3 4 5 6 7 8 9; do sleep 600 & done 2>&1; echo done; wait`;
      const child = spawn("sh", ["-c", `${join}; ${fill}`], { stdio: ["ignore", "pipe", "ignore"] });
      const [said] = await once(child.stdout, "data");
      return String(said);
    });
    await Promise.all(counts);
    const members = (await Promise.all(cgroups.map((group) => group.members()))).flat();
    assert.ok(members.length > 0 && members.length <= 12, `${members.length} processes`);
  } finally {
    for (const name of ["one", "two"]) await groups.destroy(name);
    await groups.close();
  }
});

test("version 1: one group in the hierarchy of each controller, below the server's own", () => {
  const root = fakeTree({
    "memory/host/server/cgroup.procs": "",
    "memory/cgroup.procs": "",
    "pids/cgroup.procs": "",
    "unified/cgroup.controllers": "hugetlb",
  });
  try {
    const hierarchies = findHierarchies(root, "8:pids:/\n4:memory:/host/server\n0::/\n");
    assert.deepEqual(
      hierarchies.map(({ directory }) => directory),
      [`${root}/memory/host/server`, `${root}/pids`],
    );
    assert.deepEqual(hierarchies[0]?.settings(limits)[0], {
      file: "memory.limit_in_bytes",
      value: "67108864",
    });
    const sockets = hierarchies[0]?.settings(limits).find(({ file }) => file.includes("tcp"));
    assert.deepEqual([sockets?.value, sockets?.optional], ["4194304", true]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("version 1: one group for controllers of one directory; one for processors takes its cores from above", async () => {
  const root = fakeTree({
    "memory/cgroup.procs": "",
    "cpu,cpuacct/cgroup.procs": "",
    "cpuset/cgroup.procs": "",
    "cpuset/cpuset.cpus": "0-3\n",
    "cpuset/cpuset.mems": "0\n",
  });
  for (const name of ["cpu", "cpuacct"]) symlinkSync("cpu,cpuacct", `${root}/${name}`);
  try {
    const groups = new Cgroups(findHierarchies(root, "0::/\n"), "one");
    assert.deepEqual(groups.controllers, ["memory", "cpu"]);
    const { views } = await groups.create("box");
    assert.deepEqual(
      views.map(({ names, directory }) => [names, directory]),
      [
        [["memory"], `${root}/memory/berth-one/box`],
        [["cpu", "cpuacct"], `${root}/cpu,cpuacct/berth-one/box`],
        [["cpuset"], `${root}/cpuset/berth-one/box`],
      ],
    );
    const read = (file: string) => readFileSync(`${root}/cpuset/berth-one/${file}`, "utf8").trim();
    assert.deepEqual(["cpuset.cpus", "cpuset.mems", "cgroup.clone_children"].map(read), ["0-3", "0", "1"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("this machine: destroy kills all members and removes the groups", async (context) => {
  const hierarchies = findHierarchies("/sys/fs/cgroup", readFileSync("/proc/self/cgroup", "utf8"));
  if (hierarchies.length === 0) return context.skip("no control group can be made here");
  const groups = new Cgroups(hierarchies, `test-groups-${process.pid}`);
  const group = await groups.create("box");
  try {
    const join = `for f in ${group.processFiles.join(" ")}; do echo $$ >$f || exit 1; done; trap '' TERM; setsid sleep 600 & echo in; wait`;
    const child = spawn("sh", ["-c", join], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    assert.ok((await group.members()).length >= 1);
    await group.liftCpuLimit();
    for (const file of group.processFiles.map((path) => path.replace("cgroup.procs", "cpu.cfs_quota_us")))
      if (existsSync(file)) assert.equal(readFileSync(file, "utf8").trim(), "-1");
    const exited = once(child, "exit");
    await group.destroy();
    await exited;
  } finally {
    await group.destroy();
    await groups.close();
  }
  for (const path of group.processFiles) assert.ok(!existsSync(path));
});

test("this machine: a group above with less CPU time → its limit applies and no error", async (context) => {
  const own = readFileSync("/proc/self/cgroup", "utf8");
  const [cpu] = findHierarchies("/sys/fs/cgroup", own).filter(
    ({ controllers }) => controllers.join() === "cpu",
  );
  if (cpu === undefined) return context.skip("no group of version 1 can be made here");
  const directory = `${cpu.directory}/berth-test-above-${process.pid}`;
  mkdirSync(directory);
  const groups = new Cgroups([{ ...cpu, directory }], "test");
  try {
    writeFileSync(`${directory}/cpu.cfs_quota_us`, "20000");
    const group = await groups.create("box");
    await group.limit(limits);
    await group.destroy();
  } finally {
    await groups.close();
    rmdirSync(directory);
  }
});
