import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { MountedSnapshot } from "../../src/interface/spec.ts";
import { packDisk } from "../../src/saves/pack-disk.ts";
import { unpackDisk } from "../../src/saves/unpack-disk.ts";
import { type Context, conformanceTest, ok, type Suite, sh } from "./context.ts";
import { hostMounts } from "./host-mounts.ts";

const MIB = 1024 * 1024;
const TARGET = "/workspace/repo";

/** Tests of mounted snapshots. */
export function snapshotTests(suite: Suite): void {
  for (const [title, body] of Object.entries(SNAPSHOT_TESTS)) conformanceTest(suite, title, body);
}

/** The tests by title, so that engines that mount no snapshots can skip them. */
export const SNAPSHOT_TESTS: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async "snapshot: the agent owns its files and can change, rename and delete them"({ open, directory }) {
    const sandbox = await open(places());
    assert.equal(await sandbox.mountSnapshot(snapshot(directory)), true);
    const { text } = await sh(sandbox, `cd ${TARGET} && stat -c '%U %G %n' . one src/deep/three`);
    assert.equal(text, "agent agent .\nagent agent one\nagent agent src/deep/three\n");
    const script = `cd ${TARGET} && echo more >>one && rm two && mv src lib && mv lib/deep lib/new && chmod 700 lib/new/three &&
ln lib/new/three four && mkdir made && mv four made && rm -r lib/other && cat one made/four && ls -A`;
    assert.equal(await ok(sandbox, script), "one\nmore\nthree\n.git\nlib\nmade\none");
    assert.equal(await ok(sandbox, `grep -c ' ${TARGET} .*nosuid,nodev' /proc/self/mounts`), "1");
    assert.ok(!(await ok(sandbox, "cat /proc/self/mountinfo")).includes(join(directory, "snapshot")));
  },

  async "snapshot: unmounting leaves nothing, and another can be mounted there"({ open, directory }) {
    const sandbox = await open(places());
    const own = snapshot(directory);
    assert.equal(await sandbox.unmountSnapshot(TARGET), false);
    assert.equal(await sandbox.mountSnapshot(own), true);
    await ok(sandbox, `head -c 1000000 /dev/zero >${TARGET}/large && rm ${TARGET}/one`);
    assert.equal(await sandbox.unmountSnapshot(TARGET), true);
    assert.equal(await sandbox.unmountSnapshot(TARGET), false);
    assert.equal(await ok(sandbox, `ls -A /workspace; grep -c ${TARGET} /proc/self/mounts || true`), "0");
    await ok(sandbox, `mkdir ${TARGET} && rmdir ${TARGET}`);
    assert.equal(await sandbox.mountSnapshot(own), true);
    assert.equal(await ok(sandbox, `ls ${TARGET}`), "one\nsrc\ntwo");
  },

  async "snapshot: git works in it, with its whole history"({ open, directory }) {
    const sandbox = await open(places());
    assert.equal(await sandbox.mountSnapshot(snapshot(directory)), true);
    const options = { cwd: TARGET };
    assert.equal(await ok(sandbox, "git status --porcelain", options), "");
    await ok(sandbox, "echo more >>one; git mv two second; git rm -q src/other", options);
    await ok(sandbox, "git commit -qam changed && git gc -q && git fsck --strict", options);
    assert.equal(await ok(sandbox, "git log --format=%s; git status --porcelain", options), "changed\nfirst");
    await ok(sandbox, `git clone -q --no-local ${TARGET} /data/again && git -C /data/again fsck`, options);
  },

  async "snapshot: two sandboxes see only their own changes, and the source does not change"({
    open,
    directory,
  }) {
    const one = snapshot(directory);
    const before = contents(one.source);
    const [first, second] = await Promise.all([
      open(places()),
      open({ ...places(256), disk: join(directory, "other") }),
    ]);
    assert.deepEqual(await Promise.all([first.mountSnapshot(one), second.mountSnapshot(one)]), [true, true]);
    await ok(first, `cd ${TARGET} && echo first >one && rm -r src && git commit -qam first`);
    await ok(second, `cd ${TARGET} && echo second >one && touch new`);
    assert.equal(await ok(first, `cat ${TARGET}/one; ls ${TARGET}`), "first\none\ntwo");
    assert.equal(await ok(second, `cat ${TARGET}/one; ls ${TARGET}`), "second\nnew\none\nsrc\ntwo");
    await Promise.all([first.close(), second.close()]);
    assert.equal(contents(one.source), before);
  },

  async "snapshot: what was changed in it is saved alone, and comes back over a copy of it"({
    open,
    directory,
  }) {
    const own = { ...snapshot(directory), target: "/data/repo" };
    const from = await open();
    assert.equal(await from.mountSnapshot(own), true);
    const script = `echo more >>one; echo new >new; rm two; mv src lib; chmod 700 lib/deep/three; ln -s one link
      mkdir two; echo in >two/file; git add -A; head -c 100000 /dev/urandom >large; touch -r lib/deep/three same; echo .. >.gitignore`;
    await ok(from, script, { cwd: own.target });
    const base = "/var/tmp/base";
    assert.equal(await from.mountSnapshot({ ...own, target: base }), true);
    const within = { timeoutMs: 60_000, signal: new AbortController().signal };
    const to = await open({ disk: join(directory, "other") });
    const whole = packDisk(from, { root: base, places: [base] }, within);
    assert.equal(await unpackDisk(to, own.target, whole.archive, within), "whole");
    const plan = {
      root: "/",
      places: ["/data"],
      omitted: [base],
      changes: [{ directory: own.target, base }],
    };
    const { archive } = packDisk(from, plan, within);
    let size = 0;
    async function* counted() {
      for await (const chunk of archive) {
        size += chunk.length;
        yield chunk;
      }
    }
    assert.equal(await unpackDisk(to, "/", counted(), within), "whole");
    assert.ok(size < 300_000, `${size} bytes`);
    const all = `find . -path ./.git/index -prune -o -printf '%p %y %m %T@ %l\\n' | sort; git status --porcelain; git fsck; cat one two/file`;
    const [before, after] = [
      await ok(from, all, { cwd: own.target }),
      await ok(to, all, { cwd: own.target }),
    ];
    assert.equal(after, before);
    assert.equal(await from.unmountSnapshot(base), true);
  },

  async "snapshot: its changes are there when the disk is opened again with it"({ spec, open, directory }) {
    for (const megabytes of [null, 256]) {
      const one = spec({ ...places(megabytes), disk: join(directory, `disk-${megabytes}`) });
      const snapshots = [snapshot(directory), { ...snapshot(directory), target: `${TARGET}/src/inner` }];
      const first = await open(one);
      for (const each of snapshots) assert.equal(await first.mountSnapshot(each), true);
      await ok(
        first,
        `cd ${TARGET} && echo work >>one && rm two && git add -u && echo later >>one && echo x >src/inner/x`,
      );
      await first.close();
      const second = await open({ ...one, snapshots: snapshots.toReversed() });
      const script = "git status --porcelain; cat one src/inner/x src/inner/one";
      assert.equal(
        await ok(second, script, { cwd: TARGET }),
        "MM one\nD  two\n?? src/inner/\none\nwork\nlater\nx\none",
      );
      assert.equal(await second.mountSnapshot(snapshot(directory)), false);
      await second.close();
      const missing = { ...snapshot(directory), source: join(directory, "missing") };
      await assert.rejects(open({ ...one, snapshots: [missing] }), { name: "SandboxError" });
    }
  },

  async "snapshot: what a sandbox changed in it is a layer that others have over it"({
    subject,
    spec,
    open,
    directory,
  }) {
    for (const megabytes of [null, 256]) {
      const own = snapshot(directory);
      const prepared = spec({
        ...places(megabytes),
        disk: join(directory, `prepared-${megabytes}`),
        uid: own.uid,
      });
      const first = await open(prepared);
      assert.equal(await first.mountSnapshot(own), true);
      const script =
        "mkdir deps; echo made >deps/made; echo more >>one; rm two; mv src lib; rm lib/other; ln -s /etc deps/link";
      await ok(first, script, { cwd: TARGET });
      await first.close();
      const layer = join(directory, `layer-${megabytes}`, "upper");
      const { signal } = new AbortController();
      assert.equal(await subject.engine.takeSnapshotChanges(prepared.disk, TARGET, layer, signal), true);

      const layered = { ...own, name: "layered", layers: [layer] };
      const other = { ...places(256), disk: join(directory, `other-${megabytes}`) };
      const second = await open(other);
      assert.equal(await second.mountSnapshot(layered), true);
      const show = "stat -c '%U %n' deps/made lib; cat one lib/deep/three; ls -A; ls lib";
      const expected = "agent deps/made\nagent lib\none\nmore\nthree\n.git\ndeps\nlib\none\ndeep";
      assert.equal(await ok(second, show, { cwd: TARGET }), expected);
      await ok(second, "echo mine >deps/made; rm one; mv lib src", { cwd: TARGET });
      await second.close();
      const third = await open({ ...other, snapshots: [layered] });
      assert.equal(
        await ok(third, "cat deps/made src/deep/three; ls", { cwd: TARGET }),
        "mine\nthree\ndeps\nsrc",
      );
      await third.close();
    }
    const missing = subject.engine.takeSnapshotChanges(
      join(directory, "prepared-null"),
      "/workspace/x",
      join(directory, "no"),
      new AbortController().signal,
    );
    await assert.rejects(missing);
  },

  async "snapshot: over others, with owners of their own → the highest counts, and all are the agent's"({
    open,
    directory,
  }) {
    const [low, middle, high] = caches(directory);
    const one = { ...places(256), disk: join(directory, "several") };
    const first = await open(one);
    const both = { ...middle, below: [low] };
    assert.equal(await first.mountSnapshot(both, "kept"), true);
    const show = "cat both; ls; stat -c %U low/in middle/in";
    const expected = "middle\nboth\nlow\nmiddle\nsame\nagent\nagent";
    assert.equal(await ok(first, show, { cwd: TARGET }), expected);
    await ok(first, "rm low/in same/low; echo mine >middle/in; mv same same2; mv low low2", { cwd: TARGET });
    await first.close();

    // Of those that are given, the ones below its changes are mounted.
    const second = await open(one);
    const three = { ...high, below: [middle, low] };
    assert.equal(await second.mountSnapshot(three, "kept"), true);
    const now = "cat both middle/in; find . -type f | sort";
    const after = "middle\nmine\n./both\n./middle/in\n./same2/middle";
    assert.equal(await ok(second, now, { cwd: TARGET }), after);
    assert.equal(await second.mountSnapshot(three, "kept"), false);
    await second.close();

    const third = await open(one);
    for (const missing of [high, middle, { ...high, below: [low] }])
      assert.equal(await third.mountSnapshot(missing, "kept"), false);
    assert.equal(await ok(third, `ls -A ${TARGET}; grep -c overlay /proc/self/mounts || :`), "0");
    assert.equal(await third.mountSnapshot(both, "kept"), true);
    assert.equal(await ok(third, now, { cwd: TARGET }), after);
    await ok(third, "mkdir -p /data/full/x");
    assert.equal(await third.mountSnapshot({ ...both, target: "/data/full" }, "kept"), false);
    assert.equal(await ok(third, "ls /data/full"), "x");
  },

  async "snapshot: twelve layers, of two owners"({ open, directory }) {
    const [low, middle] = caches(directory);
    const many = Array.from({ length: 10 }, (_, index) => {
      const layer = join(directory, `over-${index}`);
      execFileSync("sh", ["-c", `mkdir "$1" && echo ${index} >"$1/over-${index}"`, "sh", layer]);
      return layer;
    });
    const sandbox = await open(places());
    const all = { ...middle, layers: many.slice(5), below: [{ ...low, layers: many.slice(0, 5) }] };
    assert.equal(await sandbox.mountSnapshot(all, "kept"), true);
    assert.equal(
      await ok(sandbox, "cat over-* both", { cwd: TARGET }),
      "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\nmiddle",
    );
  },

  async "snapshot: one that is not named is in no save of the directory around it"({ open, directory }) {
    const [low] = caches(directory);
    const from = await open(places());
    assert.equal(await from.mountSnapshot({ ...low, target: "/data/cache" }, "kept"), true);
    await ok(from, "echo new >/data/cache/new; echo beside >/data/beside");
    const within = { timeoutMs: 60_000, signal: new AbortController().signal };
    const { archive } = packDisk(from, { root: "/", places: ["/data"] }, within);
    const to = await open({ disk: join(directory, "other") });
    assert.equal(await unpackDisk(to, "/", archive, within), "whole");
    assert.equal(await ok(to, "ls -A /data /data/cache"), "/data:\nbeside\ncache\n\n/data/cache:");
  },

  async "snapshot: mounted afresh in a later sandbox → without earlier changes"({ spec, open, directory }) {
    const one = spec(places(256));
    const first = await open(one);
    assert.equal(await first.mountSnapshot(snapshot(directory)), true);
    await ok(first, `cd ${TARGET}; echo lost >one; mkdir -p a/b; rm -r src`);
    await first.close();
    const second = await open(one);
    assert.equal(await ok(second, `ls -A ${TARGET}`), "");
    assert.equal(await second.mountSnapshot(snapshot(directory)), true);
    assert.equal(await ok(second, `cd ${TARGET} && cat one && ls`), "one\none\nsrc\ntwo");
  },

  async "snapshot: mounted again where the agent has put something → that is renamed beside it"({
    spec,
    open,
    directory,
  }) {
    const ways: [put: string, beside: string][] = [
      ["ln -s moved /workspace/repo && echo taken >/workspace/moved/own", "cat /workspace/repo.moved-1/own"],
      ["echo taken >/workspace/repo && echo other >/workspace/repo.moved-1", "cat /workspace/repo.moved-2"],
      [
        "mkdir -p /workspace/repo/in && echo taken >/workspace/repo/in/own",
        "cat /workspace/repo/in.moved-1/own",
      ],
    ];
    for (const [index, [put, beside]] of ways.entries()) {
      const one = spec({ ...places(), disk: join(directory, `disk-${index}`) });
      const inner = { ...snapshot(directory), target: `${TARGET}/in` };
      const first = await open(one);
      assert.equal(await first.mountSnapshot(inner), true);
      await ok(first, `cd ${TARGET}/in && echo work >one && cd / && mv ${TARGET} /workspace/moved && ${put}`);
      await first.close();
      const second = await open({ ...one, snapshots: [inner] });
      assert.equal(await ok(second, `cat ${TARGET}/in/one`), "work");
      assert.equal(await ok(second, beside), "taken");
      await second.close();
    }
  },

  async "snapshot: source is a link → not mounted"({ open, directory }) {
    const one = snapshot(directory);
    const source = join(directory, "linked");
    symlinkSync(one.source, source);
    const sandbox = await open(places());
    assert.equal(await sandbox.mountSnapshot({ ...one, source }), false);
    assert.equal(await sandbox.mountSnapshot(one), true);
  },

  async "snapshot: mounted only at an empty target on the disk, and through no link"({ open, directory }) {
    const one = snapshot(directory);
    const sandbox = await open(places());
    await ok(
      sandbox,
      "mkdir -p /data/full /data/own; touch /data/full/.x /data/file; ln -s /data/own /data/link; ln -s /etc /data/etc; ln -s / /data/root",
    );
    const refused = [
      "/data/full",
      "/data/file",
      "/data/file/x",
      "/data/link",
      "/data/link/new",
      "/data/etc/x",
    ];
    const system = [
      "/data/root/usr/new",
      "/usr/new",
      "/dev/shm/new",
      "/mnt/session/uploads/x",
      "/new",
      "/data/../new",
    ];
    for (const target of [...refused, ...system])
      assert.equal(await sandbox.mountSnapshot({ ...one, target }), false, target);
    const missing = join(directory, "missing");
    assert.equal(await sandbox.mountSnapshot({ ...one, source: missing }), false);
    assert.equal(
      await ok(sandbox, "ls -A /data /data/own; grep -c overlay /proc/self/mounts || :"),
      "/data:\netc\nfile\nfull\nlink\nown\nroot\n\n/data/own:\n0",
    );
    for (const target of ["/data/own", "/data/new/deep", TARGET])
      assert.equal(await sandbox.mountSnapshot({ ...one, target }), true, target);
    assert.equal(await ok(sandbox, "cat /data/own/one /data/new/deep/one"), "one\none");
    assert.equal(await ok(sandbox, "stat -c %U /data/new"), "agent");
    assert.equal(await sandbox.mountSnapshot({ ...one, target: "/data/own/" }), false);
  },

  async "snapshot: the disk limit includes its changes"({ open, directory }) {
    const sandbox = await open(places(64));
    assert.equal(await sandbox.mountSnapshot(snapshot(directory)), true);
    const filled = await sh(
      sandbox,
      `cd ${TARGET}; for i in 1 2 3; do cat .git/big >>copy || exit; done; echo x >>.git/big`,
    );
    assert.match(filled.text, /No space left on device/);
    const text = await ok(sandbox, `cd ${TARGET}; rm -f copy; echo room >>one; tail -n 1 one`);
    assert.equal(text, "room");
  },

  async "snapshot: never mounted on the host, nor in a closed sandbox"({ open, directory }) {
    const before = hostMounts(directory);
    const sandbox = await open(places());
    assert.equal(await sandbox.mountSnapshot(snapshot(directory)), true);
    assert.deepEqual(hostMounts(directory), before);
    await ok(sandbox, `cd ${TARGET}; (setsid sleep 600 >/dev/null 2>&1 &)`);
    await sandbox.close();
    assert.equal(await sandbox.mountSnapshot(snapshot(directory)), false);
    assert.deepEqual(hostMounts(directory), before);
  },
};

function places(megabytes: number | null = 256) {
  const diskBytes = megabytes === null ? null : megabytes * MIB;
  return {
    writable: ["/workspace"],
    limits: { memoryBytes: 512 * MIB, pids: 256, cpus: 2, diskBytes },
  };
}

/** Makes a repository with one commit, owned by a uid that no sandbox has. */
function snapshot(directory: string): MountedSnapshot {
  const source = join(directory, "snapshot");
  const uid = 66_000;
  const script = `[ ! -e "$1" ] || exit 0
mkdir -p "$1/src/deep" && cd "$1" && git init -q -b main . && echo one >one && echo two >two && echo three >src/deep/three && echo other >src/other &&
git add . && git -c user.name=a -c user.email=a@example.com commit -qm first &&
head -c 30M /dev/zero >.git/big && chown -R ${uid}:${uid} .`;
  execFileSync("sh", ["-c", script, "sh", source]);
  return { source, uid, target: TARGET };
}

/** Makes three directories with files of the same and of other names, each owned by another uid. */
function caches(directory: string): [MountedSnapshot, MountedSnapshot, MountedSnapshot] {
  const make = (name: string, uid: number): MountedSnapshot => {
    const source = join(directory, name);
    const script = `mkdir -p "$1/$2" "$1/same" && cd "$1" && echo $2 >both && echo $2 >$2/in && echo $2 >same/$2 && chown -R $3:$3 .`;
    execFileSync("sh", ["-c", script, "sh", source, name, String(uid)]);
    return { source, name, uid, target: TARGET };
  };
  return [make("low", 66_001), make("middle", 66_002), make("high", 66_003)];
}

/** Returns the names, owners, sizes, times and checksums of everything in a directory. */
function contents(directory: string): string {
  const script = "find . -printf '%p %U %m %s %T@ %C@\\n' | sort; find . -type f -exec sha256sum {} + | sort";
  return execFileSync("sh", ["-c", script], { cwd: directory, encoding: "utf8" });
}
