// Subject: sandboxes on disks with a limit (disk-image/, through the engine).
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { freshEngine } from "../../test-support/bubblewrap.ts";
import { ok, sh } from "../../test-support/conformance/context.ts";
import { loopDevices, released } from "../../test-support/conformance/loop-devices.ts";
import { createFakeEgress } from "../../test-support/fake-egress.ts";
import { DiskLimitError } from "../interface/errors.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { MountedSnapshot } from "../interface/spec.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";
import { diskLimit, snapshots } from "./probe.ts";

const root = process.getuid?.() === 0;
const limit = await diskLimit(tmpdir());
const shown = await snapshots(tmpdir());
const skip = limit.state === "yes" ? false : limit.detail;
const uid = root ? (process.pid % 10_000) + 90_000 : (process.getuid?.() ?? 0);
const limits = { memoryBytes: 2 ** 28, pids: 64, cpus: 1, diskBytes: 64 * 2 ** 20 };
let directory: string;
let engine: SandboxEngine;
let close: () => Promise<void>;

beforeEach(async () => {
  ({ directory, engine, close } = await freshEngine(`test-disk-${process.pid}`));
});
afterEach(() => close());

function open(disk = "disk", snapshots: readonly MountedSnapshot[] = []): Promise<Sandbox> {
  const egress = { mode: "limited", hosts: [] } as const;
  return engine.open({
    id: disk,
    disk: join(directory, disk),
    uid,
    limits,
    egress,
    files: [],
    writable: [],
    snapshots,
  });
}

/** Runs a module in another process, with an engine of its own on the same directory. */
function elsewhere(
  text: string,
  before: readonly string[] = [],
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const at = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const module = `
    import { createBubblewrapEngine } from ${at("./bubblewrap-engine.ts")};
    import { createFakeEgress } from ${at("../../test-support/fake-egress.ts")};
    const engine = await createBubblewrapEngine({ instance: "test-disk-${process.pid}", stateDir: ${JSON.stringify(`${directory}/state`)}, egress: createFakeEgress(), certificates: [] });
    const open = () => engine.open({ id: "disk", disk: ${JSON.stringify(`${directory}/disk`)}, uid: ${uid}, limits: ${JSON.stringify(limits)}, egress: { mode: "limited", hosts: [] }, files: [], writable: [] });
    ${text}`;
  const [program = "", ...rest] = [...before, process.execPath, "--input-type=module", "--eval", module];
  return spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] }) as ReturnType<typeof elsewhere>;
}

test("disk image: server is killed → the data is kept and the disk opens at once", { skip }, async () => {
  const child = elsewhere(`
    const sandbox = await open();
    sandbox.run({ script: "trap '' TERM; echo kept >/data/kept; echo more >/data/more; (setsid env -i sleep 600 &); echo up; while :; do echo more >>/data/more; done", timeoutMs: 60000, onOutput: () => process.stdout.write("up") });`);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  const sandbox = await open();
  assert.equal(await ok(sandbox, "cat /data/kept; head -n 1 /data/more"), "kept\nmore");
  assert.equal(loopDevices(directory).length, 1);
  await engine.sweep();
  assert.equal(await ok(sandbox, "cat /data/kept"), "kept");
});

test("disk image: marked clean but broken → repaired; beyond repair → an error that says so", {
  skip,
}, async () => {
  const first = await open();
  await ok(first, "echo kept >/data/file; sync");
  await first.close();
  await released(directory);
  const image = join(directory, "disk/disk.ext4");
  const file = openSync(image, "r+");
  // The checksum of the first group, in the table behind the superblock.
  const sum = Buffer.alloc(2);
  readSync(file, sum, 0, 2, 4096 + 0x1e);
  writeSync(file, Buffer.from([(sum[0] ?? 0) ^ 0xff, sum[1] ?? 0]), 0, 2, 4096 + 0x1e);
  closeSync(file);
  const second = await open();
  assert.equal(await ok(second, "cat /data/file"), "kept");
  await second.close();
  await released(directory);
  truncateSync(image, 65_536);
  await assert.rejects(open(), /^SandboxError: the disk cannot be repaired$/);
});

test("snapshot: server is killed → its changes are kept and no mount is", {
  skip: skip || shown.state !== "yes",
}, async () => {
  mkdirSync(join(directory, "snapshot"));
  writeFileSync(join(directory, "snapshot/file"), "file\n");
  chownSync(join(directory, "snapshot"), 66_000, 66_000);
  chownSync(join(directory, "snapshot/file"), 66_000, 66_000);
  const snapshot = { source: join(directory, "snapshot"), uid: 66_000, target: shownAt };
  const child = elsewhere(`
    const sandbox = await open();
    if (!(await sandbox.mountSnapshot(${JSON.stringify(snapshot)}))) throw new Error("it was not mounted");
    sandbox.run({ script: "cd ${shownAt}; echo kept >>file; (setsid env -i sleep 600 &); echo up; sleep 600", timeoutMs: 60000, onOutput: () => process.stdout.write("up") });`);
  await once(child.stdout, "data");
  assert.equal(overlays().length, 1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await released(directory);
  assert.deepEqual(overlays(), []);
  const sandbox = await open("disk", [snapshot]);
  assert.equal(await ok(sandbox, `cat ${shownAt}/file`), "file\nkept");
});

/** A path that no other test on this machine uses. */
const shownAt = `/data/repo-${process.pid}`;

/** Returns the overlays on this file's disks, in every mount namespace. */
function overlays(): string[] {
  const lines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => mountsOf(pid).split("\n"))
    .filter((line) => line.includes(` ${shownAt} `) && line.includes(" - overlay "));
  return [...new Set(lines)];
}

function mountsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "latin1");
  } catch {
    return "";
  }
}

test("disk image: spec without a limit → the engine's default; unused images are deleted when the engine closes", {
  skip,
}, async () => {
  const child = elsewhere(`
    const usual = await createBubblewrapEngine({ instance: "test-disk-${process.pid}", stateDir: ${JSON.stringify(`${directory}/state`)}, egress: createFakeEgress(), certificates: [], defaultDiskBytes: ${64 * 2 ** 20} });
    const spec = (id, diskBytes) => ({ id, disk: ${JSON.stringify(`${directory}/`)} + id, uid: ${uid}, limits: { ...${JSON.stringify(limits)}, diskBytes }, egress: { mode: "limited", hosts: [] }, files: [], writable: [] });
    const fill = async (id, diskBytes) => {
      const sandbox = await usual.open(spec(id, diskBytes));
      return (await sandbox.run({ script: "head -c 100M /dev/zero >/data/x", timeoutMs: 60000 })).exitCode;
    };
    process.stdout.write(JSON.stringify([await fill("usual", null), await fill("second", null), await fill("own", ${200 * 2 ** 20})]));
    setInterval(() => {}, 1000);`);
  const [text] = await once(child.stdout, "data");
  assert.deepEqual(JSON.parse(String(text)), [1, 1, 0]);
  const images = () =>
    readdirSync(join(directory, "state"), { recursive: true }).filter((name) =>
      String(name).includes(".ext4"),
    );
  assert.ok(images().length > 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  await engine.sweep();
  assert.deepEqual(images(), []);
});

test("disk image: open in another engine → open waits until that closes it, and no disk is open twice", {
  skip,
}, async () => {
  const options = { instance: `test-disk-${process.pid}`, stateDir: `${directory}/state`, certificates: [] };
  const other = await createBubblewrapEngine({ ...options, egress: createFakeEgress() });
  const egress = { mode: "limited", hosts: [] } as const;
  const disk = join(directory, "disk");
  const sandbox = await other.open({ id: "disk", disk, uid, limits, egress, files: [], writable: [] });
  const opening = open();
  await ok(sandbox, "echo kept >/data/kept");
  assert.equal(loopDevices(directory).length, 1);
  await other.close();
  assert.equal(await ok(await opening, "cat /data/kept"), "kept");
  assert.equal(loopDevices(directory).length, 1);
});

test("disk image: two dozen are open at once, whatever the number of loop devices", {
  skip,
}, async () => {
  const names = Array.from({ length: 24 }, (_, index) => `many_${index}`);
  const sandboxes = await Promise.all(names.map((name) => open(name)));
  const written = await Promise.all(
    sandboxes.map((sandbox, index) => ok(sandbox, `echo ${index} >/data/own; sync; cat /data/own`)),
  );
  assert.deepEqual(
    written,
    names.map((_, index) => String(index)),
  );
  assert.equal(loopDevices(directory).length, 24);
});

test("disk image: the host loses power → synchronized data is kept", { skip }, async () => {
  const sandbox = await open();
  await ok(sandbox, "echo kept >/data/kept; sync /data/kept; seq 500 | xargs -I{} sh -c 'echo {} >/data/{}'");
  mkdirSync(join(directory, "after"));
  copyFileSync(join(directory, "disk/disk.ext4"), join(directory, "after/disk.ext4"));
  assert.equal(
    await ok(await open("after"), "cat /data/kept; echo new >/data/new; cat /data/new"),
    "kept\nnew",
  );
});

test("disk image: removed with its disk, also while the sandbox runs", { skip }, async () => {
  const sandbox = await open();
  await ok(sandbox, "echo x >/data/x");
  assert.deepEqual(readdirSync(join(directory, "disk")), ["disk.ext4"]);
  rmSync(join(directory, "disk"), { recursive: true });
  await sandbox.close();
  await released(directory);
  assert.equal((await sh(await open(), "cat /data/x")).exitCode, 1);
});

test("disk image: no loop devices → open with a limit is rejected with a sentence, and others open", {
  skip: !root && "this is not root",
}, async () => {
  const bare = `cd ${directory} && mkdir dev && mount -t tmpfs none dev && mkdir dev/pts && for n in null zero full random urandom tty; do
    touch dev/$n && mount --bind /dev/$n dev/$n; done; mount --rbind dev /dev; exec "$@"`;
  const child = elsewhere(
    `
    const probed = (await engine.probe()).find(({ name }) => name === "limit_disk");
    const refused = await open().catch((error) => error);
    const other = await engine.open({ id: "b", disk: ${JSON.stringify(`${directory}/other`)}, uid: ${uid}, limits: { ...${JSON.stringify(limits)}, diskBytes: null }, egress: { mode: "limited", hosts: [] }, files: [], writable: [] });
    const { exitCode } = await other.run({ script: "true", timeoutMs: 60000 });
    await engine.close();
    process.stdout.write(JSON.stringify([probed.state, probed.detail, refused.name, refused.constructor.name, refused.message, exitCode]));`,
    ["unshare", "--mount", "--propagation=private", "sh", "-c", bare, "sh"],
  );
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  const [state, detail, name, kind, message, exitCode] = JSON.parse(Buffer.concat(chunks).toString());
  assert.deepEqual([state, name, kind, exitCode], ["degraded", "SandboxError", "DiskLimitError", 0]);
  assert.match(detail, /^Sessions whose environment sets disk_mb are refused: .*loop devices/);
  assert.match(
    message,
    /^The session's disk is limited \(disk_mb\), which this machine cannot enforce: .*\.$/,
  );
  assert.ok(!message.includes(directory));
});

test("disk image: no root → open with a limit is rejected with a sentence", {
  skip: root && "this is root",
}, async () => {
  await assert.rejects(
    open(),
    (error) => error instanceof DiskLimitError && /as root\.$/.test(error.message),
  );
  assert.deepEqual(readdirSync(join(directory, "disk")), []);
});
