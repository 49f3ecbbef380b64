import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Context, conformanceTest, ok, type Suite, sh } from "./context.ts";
import { loopDevices, released } from "./loop-devices.ts";

const MIB = 1024 * 1024;
const FULL = /No space left on device/;
const SIZE = "stat -c %s /data/filling";
const FILL = "head -c 100M /dev/zero >/data/filling";

/** Tests of disk limits. */
export function diskTests(suite: Suite): void {
  for (const [title, body] of Object.entries(DISK_TESTS)) conformanceTest(suite, title, body);
}

/** The tests by title, so that engines that cannot limit disks can skip them. */
export const DISK_TESTS: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async "disk limit: the disk takes that and no more, and this sandbox and others go on"({
    open,
    directory,
  }) {
    const sandbox = await open(limited(64));
    const neighbour = await open({ ...limited(64), disk: join(directory, "neighbour") });
    const filled = await sh(sandbox, FILL);
    assert.notEqual(filled.exitCode, 0);
    assert.match(filled.text, FULL);
    between(Number(await ok(sandbox, SIZE)), 64 * MIB, 68 * MIB);
    for (const place of ["/home/agent", "/mnt/session/outputs", "/var/tmp", "/tmp"])
      assert.match((await sh(sandbox, `head -c 5M /dev/zero >${place}/more`)).text, FULL, place);
    assert.equal(await ok(sandbox, "echo alive; echo room >/dev/shm/x; cat /dev/shm/x"), "alive\nroom");
    await ok(neighbour, "head -c 50M /dev/zero >/data/filling");
    await writeFile(join(directory, "host"), Buffer.alloc(MIB));
    await ok(sandbox, "rm /data/filling; head -c 50M /dev/zero >/data/filling");
  },

  async "disk limit: what the disk takes on the host is known, and grows with it"({ open, subject, spec }) {
    const one = spec(limited(64));
    const sandbox = await open(one);
    const before = await subject.engine.diskBytes(one.disk);
    await ok(sandbox, "head -c 20M /dev/urandom >/data/filling; sync");
    const after = await subject.engine.diskBytes(one.disk);
    assert.ok(before !== null && after !== null);
    between(after - before, 15 * MIB, 30 * MIB);
  },

  async "disk limit: one file for every 4 KiB and no more"({ open }) {
    const sandbox = await open(limited(64));
    const filled = await sh(sandbox, "cd /data && seq 30000 | xargs touch", { maxOutputBytes: 10_000 });
    assert.match(filled.text, FULL);
    between(Number(await ok(sandbox, "ls /data | wc -l")), 16_384, 20_000);
    assert.equal(await ok(sandbox, "find /data -type f -delete; echo x >/data/new; cat /data/new"), "x");
  },

  async "disk limit: the disk is kept when its sandbox closes, also when it is full"({
    spec,
    open,
    directory,
  }) {
    await writeFile(join(directory, "input"), "input");
    const files = [{ source: join(directory, "input"), target: "/data/input" }];
    const one = spec({ ...limited(64), writable: ["/workspace"], files });
    const first = await open(one);
    await ok(first, "for d in /data /home/agent /workspace; do echo kept >$d/kept; done");
    await sh(first, `${FILL}; cat /dev/zero >/workspace/rest`);
    await first.close();
    const second = await open(one);
    assert.match((await sh(second, "head -c 1M /dev/zero >/data/more")).text, FULL);
    const texts = "cat /data/kept /home/agent/kept /workspace/kept /data/input";
    assert.equal(await ok(second, texts), "kept\nkept\nkept\ninput");
  },

  async "full disk: commands end with any amount of output, and files that fit are placed"({
    open,
    directory,
  }) {
    const sandbox = await open(limited(64));
    await sh(sandbox, `${FILL}; cat /dev/zero >/home/agent/rest`);
    const output = { keepOutput: true, maxOutputBytes: 2000 };
    const long = await sh(sandbox, "seq 1000000", output);
    assert.deepEqual([long.ended, long.exitCode, long.outputFile], ["exit", 0, null]);
    assert.match(long.text, /1000000\n$/);
    assert.equal(await ok(sandbox, "cat <<X\nhere\nX", { shell: "main" }), "here");
    await writeFile(join(directory, "input"), "input");
    const place = (target: string) => sandbox.placeFile({ source: join(directory, "input"), target });
    assert.deepEqual([await place("/data/input"), await place("/mnt/session/uploads/input")], [false, true]);
    await ok(sandbox, "rm /data/filling");
    assert.equal(await place("/data/input"), true);
  },

  async "disk limit: a greater one enlarges the disk, a smaller one leaves it"({ spec, open }) {
    const one = spec(limited(64));
    const first = await open(one);
    await sh(first, `echo kept >/data/kept; ${FILL}`);
    await first.close();
    const second = await open({ ...one, ...limited(200) });
    await ok(second, FILL);
    assert.match((await sh(second, "head -c 200M /dev/zero >/data/more")).text, FULL);
    await second.close();
    for (const limit of [limited(64), limited(null)]) {
      const later = await open({ ...one, ...limit });
      assert.equal(await ok(later, `cat /data/kept; ${SIZE}`), `kept\n${100 * MIB}`);
      assert.match((await sh(later, "head -c 200M /dev/zero >/data/more")).text, FULL);
      await later.close();
    }
  },

  async "disk limit: a disk that was created without one never gets one"({ spec, open }) {
    const one = spec();
    const first = await open(one);
    await ok(first, "echo kept >/data/kept");
    await first.close();
    const second = await open({ ...one, ...limited(64) });
    assert.equal(await ok(second, "cat /data/kept"), "kept");
    await ok(second, FILL);
  },

  async "disk limit: programs run from the disk, and set-user-id has no effect"({ open }) {
    const sandbox = await open(limited(64));
    const script =
      "cp /bin/echo /data/own; chmod u+s /data/own; /data/own runs; grep ' /data ' /proc/self/mounts";
    const [runs, mounted] = (await ok(sandbox, script)).split("\n");
    assert.equal(runs, "runs");
    assert.match(mounted ?? "", /^\S+ \S+ ext4 \S*\bnosuid,nodev\b/);
    assert.doesNotMatch(mounted ?? "", /noexec/);
  },

  async "disk limit: nothing is left of a removed disk"({ open, directory }) {
    const disk = await mkdtemp(join(directory, "removed-"));
    const sandbox = await open({ ...limited(64), disk });
    await ok(sandbox, "echo x >/data/x; (setsid sleep 600 &)");
    assert.equal(loopDevices(disk).length, 1);
    assert.ok(!readFileSync("/proc/self/mounts", "utf8").includes(loopDevices(disk)[0] ?? disk));
    await sandbox.close();
    await rm(disk, { recursive: true });
    await released(disk);
  },
};

function limited(megabytes: number | null) {
  const diskBytes = megabytes === null ? null : megabytes * MIB;
  return { limits: { memoryBytes: 512 * MIB, pids: 256, cpus: 2, diskBytes } };
}

function between(value: number, least: number, most: number): void {
  assert.ok(least <= value && value <= most, `${value} is not between ${least} and ${most}`);
}
