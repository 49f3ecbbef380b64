// Subject: what remains when a sandbox, its process 1, or the server ends (bubblewrap-engine.ts,
// sweep-host.ts).
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { thisProcess } from "@berth/linux";
import { hostMounts } from "../../test-support/conformance/host-mounts.ts";
import { until } from "../../test-support/conformance/until.ts";
import { createFakeEgress } from "../../test-support/fake-egress.ts";
import { findHierarchies } from "../host/cgroup/cgroup-layouts.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";

const root = process.getuid?.() === 0;
const instance = `test-death-${process.pid}`;
let uid = (process.pid % 10_000) + 80_000;
let directory = "";
let engine: SandboxEngine;

beforeEach(async () => {
  uid++;
  directory = mkdtempSync(join(tmpdir(), "berth-death-"));
  engine = await makeEngine();
});

afterEach(async () => {
  await engine.close();
  assert.deepEqual(readdirSync(`${directory}/state`), []);
  rmSync(directory, { recursive: true });
});

function makeEngine(): Promise<SandboxEngine> {
  return createBubblewrapEngine({
    instance,
    stateDir: `${directory}/state`,
    egress: createFakeEgress(),
    certificates: ["-----BEGIN CERTIFICATE-----\nown\n-----END CERTIFICATE-----"],
    programs: { "berth-hello": "#!/bin/sh\necho hello $1\n" },
  });
}

/** Returns source text that makes the same engine in another process. */
function makeEngineText(): string {
  const [engineAt, standInAt] = ["./bubblewrap-engine.ts", "../../test-support/fake-egress.ts"].map((name) =>
    JSON.stringify(new URL(name, import.meta.url).href),
  );
  const options = JSON.stringify({ instance, stateDir: `${directory}/state`, certificates: [] });
  return `import { createBubblewrapEngine } from ${engineAt};
    import { createFakeEgress } from ${standInAt};
    const engine = await createBubblewrapEngine({ ...${options}, egress: createFakeEgress() });`;
}

function open(name = "a"): Promise<Sandbox> {
  return engine.open({
    id: name,
    disk: `${directory}/disk-${name}`,
    uid,
    limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 1, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  });
}

/** Returns the host pids of this test's sandboxes. */
function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "latin1");
        return new RegExp(`^Uid:\\t${uid}\\t`, "m").test(status) && !/^State:\tZ/m.test(status);
      } catch {
        return false;
      }
    });
}

/** Returns the directories of the control groups of this test's engines. */
function parents(): string[] {
  return findHierarchies("/sys/fs/cgroup", readFileSync("/proc/self/cgroup", "utf8")).map(
    (hierarchy) => `${hierarchy.directory}/berth-${instance}`,
  );
}

function groups(): string[] {
  const names = parents()
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    );
  return [...new Set(names)];
}

/**
 * Returns the processes that own control groups: those of sandboxes, on a slow machine also of the next one.
 */
function groupOwners(): string[] {
  return [...new Set(groups().map((name) => name.split(".").slice(0, 3).join(".")))];
}

test("close: opening sandboxes are closed, and later opens are rejected", async () => {
  const opening = open();
  await engine.close();
  const sandbox = await opening;
  await sandbox.closed;
  await assert.rejects(open(), { name: "SandboxError" });
  assert.deepEqual([processes(), groups()], [[], []]);
});

test("close: nothing of a sandbox is left but its disk", { skip: !root }, async () => {
  const mounts = hostMounts(directory);
  const descriptors = readdirSync("/proc/self/fd").length;
  const sandbox = await open();
  const up = Promise.withResolvers<void>();
  const script =
    "trap '' TERM HUP; (setsid env -i sleep 600 &); (exec >/dev/null; setsid sleep 600 &); echo up; while :; do :; done";
  const isOwn = (name: string) => name.startsWith(`${thisProcess()}.1-`);
  assert.ok(groups().some(isOwn));
  const running = sandbox.run({ script, timeoutMs: 60_000, onOutput: () => up.resolve() });
  await up.promise;
  await sandbox.run({ script: "true", shell: "main", timeoutMs: 60_000 });
  assert.ok(processes().length > 4);
  const from = performance.now();
  await sandbox.close();
  assert.ok(performance.now() - from < 30_000, "it waited for a process");
  assert.equal((await running).ended, "closed");
  assert.deepEqual(processes(), []);
  assert.ok(!groups().some(isOwn));
  assert.deepEqual(hostMounts(directory), mounts);
  // The engine sometimes opens a file for a moment to read the machine's locks. The process that waits for
  // the next sandbox has seven pipes.
  await until(
    () => readdirSync("/proc/self/fd").length === descriptors + 7,
    () => `descriptors: ${descriptors} before, ${readdirSync("/proc/self/fd").length} now`,
  );
  assert.equal(groups().length, 1, "that of the process that waits");
  assert.deepEqual(readdirSync(directory).sort(), ["disk-a", "state"]);
});

test("an idle sandbox has two processes and the shell that waits", { skip: !root }, async () => {
  const sandbox = await open();
  await sandbox.run({ script: "true", timeoutMs: 60_000 });
  const { output } = await sandbox.run({
    script: "berth-hello you; tail -n 3 /etc/ssl/certs/ca-certificates.crt",
    timeoutMs: 60_000,
  });
  assert.match(Buffer.from(output).toString(), /^hello you\n-+BEGIN CERTIFICATE-+\nown\n/);
  await until(
    () => processes().length === 3,
    () => `left: ${processes()}`,
  );
  await sandbox.close();
});

test("process 1 is killed → every command resolves as closed, and the disk opens again", {
  skip: !root,
}, async () => {
  const sandbox = await open();
  const up = Promise.withResolvers<void>();
  const running = sandbox.run({
    script: "echo up; sleep 600",
    timeoutMs: 60_000,
    onOutput: () => up.resolve(),
  });
  const named = sandbox.run({ script: "sleep 600", shell: "main", timeoutMs: 60_000 });
  await up.promise;
  const init = processes().find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith("/bin/sh\0/run/berth"),
  );
  assert.ok(init !== undefined);
  process.kill(init, "SIGKILL");
  await sandbox.closed;
  assert.deepEqual([(await running).ended, (await named).ended], ["closed", "closed"]);
  assert.equal((await sandbox.run({ script: "true", timeoutMs: 1000 })).ended, "closed");
  assert.deepEqual(processes(), []);
  const again = await open();
  assert.equal((await again.run({ script: "true", timeoutMs: 60_000 })).exitCode, 0);
});

test("server is killed → no process is left, and a sweep removes the rest", { skip: !root }, async () => {
  const text = `
    ${makeEngineText()}
    const sandbox = await engine.open({ id: "b", disk: ${JSON.stringify(`${directory}/disk-b`)}, uid: ${uid}, limits: { memoryBytes: 1e8, pids: 64, cpus: 1, diskBytes: null }, egress: { mode: "limited", hosts: [] }, files: [], writable: [] });
    sandbox.run({ script: "trap '' TERM; (setsid env -i sleep 600 &); echo up; while :; do :; done", timeoutMs: 60000, onOutput: () => process.stdout.write("up") });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", text], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const other = await open();
  assert.ok(processes().length > 4);
  const namespace = await namespaceOf(other);
  child.kill("SIGKILL");
  await once(child, "exit");
  await until(
    () => processes().length > 0 && processes().every((pid) => pidsIn(namespace).includes(pid)),
    () => `left: ${processes()}`,
  );
  assert.equal(groupOwners().length, 2);
  await engine.sweep();
  assert.deepEqual(groupOwners(), [thisProcess()]);
  assert.equal(readdirSync(`${directory}/state`).length, 1);
  assert.equal((await other.run({ script: "true", timeoutMs: 60_000 })).exitCode, 0);
});

test("server is killed while a sandbox starts → no process is left", { skip: !root }, async () => {
  const disk = `${directory}/disk-c`;
  // With so little CPU time, bwrap takes long to start process 1.
  const limits = "{ memoryBytes: 1e8, pids: 64, cpus: 0.01, diskBytes: null }";
  const text = `
    ${makeEngineText()}
    await engine.open({ id: "c", disk: ${JSON.stringify(disk)}, uid: ${uid}, limits: ${limits}, egress: { mode: "limited", hosts: [] }, files: [], writable: [] });
  `;
  const names = () => processes().map((pid) => /^Name:\t(.*)/m.exec(status(pid))?.[1]);
  // On a slow machine, process 1 may already run when the test first checks.
  let isSeen = false;
  for (let tries = 0; !isSeen; tries++) {
    assert.ok(tries < 20, "it is never seen to start");
    const child = spawn(process.execPath, ["--input-type=module", "--eval", text], { stdio: "inherit" });
    const exited = once(child, "exit");
    try {
      await until(
        () => {
          const now = names();
          isSeen = now.filter((name) => name === "bwrap").length === 2;
          return isSeen || now.includes("sh");
        },
        () => `there are ${names()}`,
      );
    } finally {
      child.kill("SIGKILL");
      await exited;
    }
    await until(
      () => processes().length === 0,
      () => `left: ${names()}`,
    );
    await engine.sweep();
  }
});

test("sweep: what a process elsewhere made stays, unless the engine is the only one of its instance", {
  skip: !root,
}, async () => {
  const [machine, pid, started] = thisProcess().split(".");
  // The first owner has the pid and start time of this process, but in another container. The second had this pid
  // before it.
  const [elsewhere, former] = [`0123456789ab.${pid}.${started}`, `${machine}.${pid}.1`];
  const state = `${directory}/state`;
  for (const owner of [elsewhere, former])
    for (const path of [`${state}/${owner}.0`, ...parents().map((parent) => `${parent}/${owner}.1-a`)])
      mkdirSync(path, { recursive: true });
  const own = readdirSync(state).filter((name) => name.startsWith(thisProcess()));
  await engine.sweep();
  assert.deepEqual(readdirSync(state).toSorted(), [`${elsewhere}.0`, ...own].toSorted());
  assert.deepEqual(groups(), [`${elsewhere}.1-a`]);
  const stateDir = state;
  const sole = await createBubblewrapEngine({
    instance,
    stateDir,
    sole: true,
    egress: createFakeEgress(),
    certificates: [],
  });
  await sole.sweep();
  await sole.close();
  assert.deepEqual(readdirSync(state), own);
  assert.deepEqual(groups(), []);
});

test("sweep: one removal fails → the others are done, and the next sweep does that one", {
  skip: !root,
}, async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const state = `${directory}/state`;
  const former = `${thisProcess().split(".")[0]}.${gone.pid}.1`;
  const [stuck, plain] = [`${state}/${former}.0`, `${state}/${former}.1`];
  for (const path of [stuck, plain]) mkdirSync(path);
  const [parent = ""] = parents();
  writeFileSync(`${stuck}/groups`, parent);
  mkdirSync(`${parent}/${former}.1-a`, { recursive: true });
  // A directory in use stands for anything that cannot be removed.
  execFileSync("mount", ["-t", "tmpfs", "none", stuck]);
  try {
    await assert.rejects(engine.sweep(), { name: "SandboxError" });
    assert.deepEqual([existsSync(plain), groups()], [false, []]);
  } finally {
    execFileSync("umount", [stuck]);
  }
  await engine.sweep();
  assert.equal(existsSync(stuck), false);
});

test("sweep: killed at any point → the next sweep removes everything", {
  skip: !root || spawnSync("strace", ["--version"]).status !== 0,
}, async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const state = `${directory}/state`;
  const former = `${thisProcess().split(".")[0]}.${gone.pid}.1`;
  const text = `${makeEngineText()} await engine.sweep(); console.log("swept"); process.exit();`;
  const calls = "rmdir,unlink,unlinkat";
  let points = 0;
  for (let told = ""; told === ""; points++) {
    assert.ok(points < 40, "the sweep never ends");
    mkdirSync(`${state}/${former}.0/1/pipes`, { recursive: true });
    writeFileSync(`${state}/${former}.0/1/pipes/0.in`, "");
    writeFileSync(`${state}/${former}.0/groups`, parents().join("\n"));
    for (const parent of parents()) mkdirSync(`${parent}/${former}.1-a`, { recursive: true });
    const kill = `inject=${calls}:signal=SIGKILL:when=${points + 1}`;
    const trace = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", kill];
    const child = spawn("strace", [...trace, process.execPath, "--input-type=module", "--eval", text], {
      // All calls on one thread, so that strace counts them together.
      env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.on("data", (chunk) => {
      told += String(chunk);
    });
    await once(child, "close");
    await engine.sweep();
    assert.deepEqual([groups(), readdirSync(state).length], [[], 1]);
  }
  assert.ok(points > 3, `only ${points} points`);
});

/** Returns the sandbox's PID namespace. */
async function namespaceOf(sandbox: Sandbox): Promise<string> {
  const { output } = await sandbox.run({ script: "readlink /proc/self/ns/pid", timeoutMs: 60_000 });
  return Buffer.from(output).toString().trim();
}

/** Returns the pids of the sandbox's processes and of its bwrap. */
function pidsIn(namespace: string): number[] {
  const inside = processes().filter((pid) => link(`/proc/${pid}/ns/pid`) === namespace);
  return [...inside, ...inside.map((pid) => Number(/^PPid:\t(\d+)/m.exec(status(pid))?.[1]))];
}

function status(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return "";
  }
}

function link(path: string): string {
  try {
    return execFileSync("readlink", [path], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}
