import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FreshEngine, freshEngine, openIn } from "../../test-support/bubblewrap.ts";
import { ok } from "../../test-support/conformance/context.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { parsePart, readPart } from "./read-part.ts";

let fresh: FreshEngine;
let sandbox: Sandbox;
before(async () => {
  fresh = await freshEngine("reading");
  sandbox = await openIn(fresh, "reading");
});
after(() => fresh.close());

const read = async (path: string, from = 0, count = 1_000) =>
  await readPart(sandbox, path, { from, count, timeoutMs: 30_000 });

async function bytes(path: string, from?: number, count?: number): Promise<string> {
  const part = await read(path, from, count);
  assert.ok(part.ok, JSON.stringify(part));
  return part.bytes.toString("latin1");
}

test("read: parts of a file, with its size and a stamp that changes with it", async () => {
  await ok(
    sandbox,
    "printf 0123456789 >digits && : >empty && printf 'a\\0\\377' >binary && mkdir -- -d && printf x >./-d/-n",
  );
  assert.equal(await bytes("/data/digits"), "0123456789");
  assert.equal(await bytes("/data/digits", 3, 4), "3456");
  assert.equal(await bytes("/data/digits", 8, 100), "89");
  assert.equal(await bytes("/data/digits", 50), "");
  assert.equal(await bytes("/data/digits", 0, 0), "");
  assert.equal(await bytes("/data/empty"), "");
  assert.equal(await bytes("/data/binary"), "a\0\xff");
  assert.equal(await bytes("/data/-d/-n"), "x");
  const first = await read("/data/digits");
  await ok(sandbox, "printf 9876543210 >digits");
  const second = await read("/data/digits", 9, 1);
  assert.ok(first.ok && second.ok);
  assert.deepEqual([first.size, second.size, `${second.bytes}`], [10, 10, "0"]);
  assert.notEqual(first.stamp, second.stamp);
});

test("read: what is no file of the path itself → why, and nothing hangs", async () => {
  await ok(
    sandbox,
    `mkdir dir closed && mkfifo pipe && ln -s /etc/passwd link && ln -s / root && ln -s /dev/zero zero && echo x >closed/in &&
     chmod 0 closed && echo x >secret && chmod 0 secret`,
  );
  const reasons = {
    "/data/missing": "not_found",
    "/data/dir": "is_directory",
    "/data/pipe": "not_a_file",
    "/dev/zero": "not_a_file",
    "/data/link": "link",
    "/data/zero": "link",
    "/data/root/etc/passwd": "link",
    "/data/secret": "permission",
    "/data/closed/in": "permission",
  };
  for (const [path, reason] of Object.entries(reasons)) {
    assert.deepEqual(await read(path), { ok: false, reason }, path);
  }
});

test("read: a command that runs meanwhile is not waited for", async () => {
  await ok(sandbox, "echo x >beside && mkfifo held");
  const running = sandbox.run({ script: "cat held", shell: "main", timeoutMs: 60_000 });
  assert.equal(await bytes("/data/beside"), "x\n");
  await ok(sandbox, "echo done >held");
  assert.equal(`${(await running).output}`, "done\n");
});

test("read: stopped → slow; in a sandbox that has ended → gone", async () => {
  const own = await openIn(fresh, "stopped");
  const signal = AbortSignal.abort();
  const stopped = await readPart(own, "/data/x", { from: 0, count: 1, timeoutMs: 1_000, signal });
  assert.deepEqual(stopped, { ok: false, reason: "slow" });
  await own.close();
  assert.deepEqual(await readPart(own, "/data/x", { from: 0, count: 1, timeoutMs: 1_000 }), {
    ok: false,
    reason: "gone",
  });
});

test("read: a file that changed between its two stamps, or output that was tampered with → none", () => {
  const stamp = "3 1.5 1.5 7";
  const of = (text: string) => parsePart(Buffer.from(text, "latin1"), 0, 10);
  assert.deepEqual(of(`${stamp}\0a\0b${stamp}\0`), { size: 3, stamp, bytes: Buffer.from("a\0b") });
  for (const text of [
    `${stamp}\0abc3 1.6 1.5 7\0`,
    `${stamp}\0ab${stamp}\0`,
    `${stamp}\0abcd${stamp}\0`,
    `${stamp}\0abc`,
    `${stamp}\0`,
    "",
    "\0",
    `x\0abcx\0`,
  ]) {
    assert.equal(of(text), null, JSON.stringify(text));
  }
});
