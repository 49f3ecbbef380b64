import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { type PackPlan, packDisk } from "../../src/saves/pack-disk.ts";
import { unpackDisk } from "../../src/saves/unpack-disk.ts";
import { type Context, conformanceTest, ok, type Suite, sh } from "./context.ts";

const { signal } = new AbortController();
const WITHIN = { timeoutMs: 120_000, signal };
const PLAN: PackPlan = { root: "/", places: ["/data"] };

/** Tests that the contents of a disk, packed in one sandbox, are equal once unpacked in another. */
export function saveTests(suite: Suite): void {
  for (const [title, body] of Object.entries({ ...SAVE_TESTS, ...LIMITED_SAVE_TESTS }))
    conformanceTest(suite, title, body);
}

const SAVE_TESTS: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async "save: any tree comes back as it was"({ open, directory }) {
    const from = await open();
    const to = await open({ disk: join(directory, "other") });
    await fc.assert(
      fc.asyncProperty(trees, async (steps) => {
        for (const one of [from, to]) await ok(one, EMPTY, { cwd: "/" });
        await ok(from, ["cd /data", ...steps].join("\n"));
        const before = await listing(from);
        const { archive, outcome } = packDisk(from, PLAN, WITHIN);
        assert.equal(await unpackDisk(to, "/", archive, WITHIN), "whole");
        assert.equal(await outcome, "whole");
        assert.equal(await listing(to), before);
      }),
      { numRuns: 12 },
    );
  },

  async "save: holes stay holes, hard links stay links, and what cannot be read is told"({
    open,
    directory,
  }) {
    const from = await open();
    await ok(
      from,
      `truncate -s 1G sparse; echo end >>sparse; echo one >a; ln a b; mkfifo pipe; mkdir locked; echo x >locked/x; chmod 000 locked
      echo secret >unreadable; chmod 000 unreadable; mkdir left; echo out >left/out`,
    );
    const to = await open({ disk: join(directory, "other") });
    const { archive, outcome } = packDisk(from, { ...PLAN, omitted: ["/data/left"] }, WITHIN);
    let size = 0;
    async function* counted() {
      for await (const chunk of archive) {
        size += chunk.length;
        yield chunk;
      }
    }
    assert.equal(await unpackDisk(to, "/", counted(), WITHIN), "whole");
    assert.equal(await outcome, "partial");
    assert.ok(size < 100_000, `${size} bytes for a sparse file`);
    await ok(from, "chmod 700 locked");
    const script =
      "stat -c '%n %F %a' *; stat -c '%h %s' a sparse; test $(du -k sparse | cut -f1) -lt 100; tail -c 4 sparse";
    assert.equal(
      await ok(to, script),
      [
        ...["a regular file 644", "b regular file 644", "pipe fifo 644"],
        ...["sparse regular file 644", "2 4", "1 1073741828", "end"],
      ].join("\n"),
    );
  },

  async "save: it stops when its signal aborts, and waits for whoever reads it"({ open }) {
    const sandbox = await open();
    await ok(sandbox, "head -c 50000000 /dev/urandom >large");
    const stop = new AbortController();
    const { archive, outcome } = packDisk(sandbox, PLAN, { ...WITHIN, signal: stop.signal });
    await assert.rejects(
      async () => {
        for await (const _ of archive) stop.abort();
      },
      { name: "PackError" },
    );
    assert.equal(await outcome, null);
    assert.equal(await ok(sandbox, "echo alive"), "alive");
  },

  async "save: a source that fails is no unpacked disk"({ open }) {
    const sandbox = await open();
    async function* broken() {
      yield Buffer.from("berth-save 1 0\n");
      throw new Error("the store is gone");
    }
    await assert.rejects(unpackDisk(sandbox, "/", broken(), WITHIN), /the store is gone/);
    async function* other() {
      yield Buffer.from("PK\x03\x04 not an archive\n");
    }
    assert.equal(await unpackDisk(sandbox, "/", other(), WITHIN), "damaged");
  },

  async "save: a hostile archive harms nothing but the disk that it is unpacked on"({ open, directory }) {
    const sandbox = await open();
    const host = join(directory, "hostile");
    mkdirSync(host);
    execFileSync("python3", ["-c", HOSTILE, join(host, "archive.tar")]);
    async function* hostile() {
      yield Buffer.from(`berth-save 1 ${REMOVED.length}\n${REMOVED}`);
      const archive = execFileSync("cat", [join(host, "archive.tar")], { maxBuffer: 2 ** 28 });
      for (let at = 0; at < archive.length; at += 65_536) yield archive.subarray(at, at + 65_536);
    }
    assert.equal(await unpackDisk(sandbox, "/", hostile(), WITHIN), "partial");
    const { text } = await sh(
      sandbox,
      `for path in /etc/planted /data/../../etc/planted /usr/bin/planted /data/device; do [ -e $path ] && echo $path; done
      [ -f /etc/passwd ] && [ -f /data/good ] && cat /data/good
      [ -u /data/setuid ] && cp /bin/id /data/setuid 2>/dev/null; /data/setuid -u 2>/dev/null | grep -x 0
      [ /data/passwd -ef /etc/passwd ] && echo linked; true`,
    );
    assert.equal(text, "good\n");
  },
};

/** Tests that need a disk with a limit, by title. */
export const LIMITED_SAVE_TESTS: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async "save: an archive that is larger than the disk fills that, and the sandbox goes on"({
    open,
    directory,
    subject,
  }) {
    const limited = { limits: { memoryBytes: 2 ** 28, pids: 64, cpus: 1, diskBytes: 64 * 2 ** 20 } };
    if (subject.engine.name !== "bubblewrap") return;
    const from = await open();
    await ok(from, "head -c 100000000 /dev/urandom >large; seq 20000 | xargs touch");
    const to = await open({ ...limited, disk: join(directory, "limited") });
    const { archive } = packDisk(from, PLAN, WITHIN);
    assert.equal(await unpackDisk(to, "/", archive, WITHIN), "partial");
    assert.equal(await ok(to, "rm -f large; echo alive"), "alive");
  },
};

const NAMES = ["a", "b c", "ö", "-n", "$(x)", "new\nline", "*", "dir"];
const name = fc.constantFrom(...NAMES).map((one) => `'./${one}'`);
/** Shell commands, each of which may fail. */
const step = fc.oneof(
  fc.tuple(name, fc.nat(200_000)).map(([path, size]) => `head -c ${size} /dev/urandom >${path}`),
  fc.tuple(name, name).map(([path, target]) => `ln -s ${target} ${path}`),
  fc.tuple(name, name).map(([path, target]) => `ln ${target} ${path}`),
  name.map((path) => `mkdir -p ${path} && cd ${path}`),
  fc.constant("cd /data"),
  fc
    .tuple(name, fc.constantFrom("400", "755", "1777", "2750", "4711"))
    // What is in a directory that cannot be searched is not saved: another test.
    .map(
      ([path, mode]) => `[ -L ${path} ] || { chmod ${mode} ${path}; [ -f ${path} ] || chmod u+x ${path}; }`,
    ),
  fc.tuple(name, fc.nat(2_000_000_000)).map(([path, at]) => `touch -h -d @${at}.123456789 ${path}`),
  name.map((path) => `python3 -c 'import os,sys; os.setxattr(sys.argv[1], "user.note", b"kept")' ${path}`),
);
const trees = fc
  .array(step, { maxLength: 30 })
  .map((steps) => steps.map((line) => `{ ${line}; } 2>/dev/null || :`));

const EMPTY =
  "find /data -mindepth 1 -delete 2>/dev/null; find /data -mindepth 1 -exec rm -rf {} +; chmod 700 /data";

/** Returns every property of each file that must survive a save. */
async function listing(sandbox: Sandbox): Promise<string> {
  const script = String.raw`cd /data && find . -printf '%p %y %m %n %T@ %l\n' | sort
    find . -type f -readable -exec sha256sum {} + | sort
    python3 -c 'import os
for at, _, names in os.walk("."):
  for name in sorted(names):
    path = os.path.join(at, name)
    if not os.path.islink(path) and os.listxattr(path): print(path, os.listxattr(path), os.getxattr(path, "user.note"))' | sort`;
  return await ok(sandbox, script, { maxOutputBytes: 10_000_000 });
}

const REMOVED = ["../../etc/passwd", "/etc/passwd", "data/../../usr", ""].join("\0");

/** Writes a tar archive with members that a sandbox must not unpack as they are. */
const HOSTILE = String.raw`
import io, sys, tarfile
archive = tarfile.open(sys.argv[1], "w")
def add(name, kind=tarfile.REGTYPE, data=b"", **more):
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, len(data)
    for key, value in more.items(): setattr(member, key, value)
    archive.addfile(member, io.BytesIO(data))
add("/etc/planted", data=b"x")
add("data/../../etc/planted", data=b"x")
add("data/out", tarfile.SYMTYPE, linkname="/etc")
add("data/out/planted", data=b"x")
add("data/bin", tarfile.SYMTYPE, linkname="../usr/bin")
add("data/bin/planted", data=b"x")
add("data/device", tarfile.BLKTYPE, devmajor=8, devminor=0)
add("data/null", tarfile.CHRTYPE, devmajor=1, devminor=3)
add("data/setuid", data=b"x", mode=0o4755, uid=0)
add("data/passwd", tarfile.LNKTYPE, linkname="/etc/passwd")
add("data/" + "d/" * 3000 + "x", data=b"x")
for n in range(20000): add("data/many/%d" % n, data=b"")
add("data/good", data=b"good\n")
archive.close()
`;
