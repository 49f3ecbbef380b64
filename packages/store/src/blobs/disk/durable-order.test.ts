// Subject: the order of system calls by which a content becomes durable.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  assertDurable,
  assertSynced,
  CAN_TRACE,
  type FileCall,
  fileCalls,
  isNaming,
  isSync,
  isWrite,
} from "../../../test-support/file-calls.ts";
import { contentPath } from "./disk-blobs.ts";

for (const [way, script] of [
  ["at once", "const blob = await blobs.stage(parts());"],
  [
    "in parts",
    `const partial = blobs.partial("it");
    await partial.append(0, parts(), async () => {});
    await partial.append(9, parts(), async () => {});
    const blob = await partial.stage(18);`,
  ],
  [
    "in parts, the last of which is dropped",
    `const partial = blobs.partial("it");
    await partial.append(0, parts(), async () => {});
    const blob = await partial.stage(4);`,
  ],
]) {
  test(`content stored ${way}: its bytes are synced before it gets its name, its directories afterwards`, {
    skip: !CAN_TRACE,
  }, (t) => {
    const { calls, directory, sha256 } = trace(t, `${script}\nawait blob.keep();\nconsole.log(blob.sha256);`);
    const named = calls.findIndex((call) => isNaming(call) && call.to?.endsWith(sha256));
    const { file = "", to = "" } = calls[named] ?? {};
    assert.ok(named >= 0, "the content gets its name");
    const written = calls.findLastIndex((call) => isWrite(call) && call.file === file);
    const synced = calls.findLastIndex((call) => isSync(call) && call.file === file);
    assert.ok(written >= 0 && written < synced, "the bytes are synced after the last write");
    assert.ok(synced < named, "the bytes are synced before the name exists");
    for (let at = dirname(to); at !== dirname(directory); at = dirname(at)) {
      const later = calls.findLastIndex((call) => isSync(call) && call.file === at);
      assert.ok(later > named, `${at} is synced after the name exists`);
    }
  });
}

test("contents stored together: as one alone, and a directory is synced once for all", {
  skip: !CAN_TRACE,
}, (t) => {
  const { calls, directory, sha256 } = trace(
    t,
    `import { createHash } from "node:crypto";
    const contents = ["one", "two", "three"].map((text) => Buffer.from(text));
    const named = contents.map((bytes) => [createHash("sha256").update(bytes).digest("hex"), bytes]);
    await blobs.storeAll(new Map(named));
    console.log(named.map(([name]) => name).join());`,
  );
  for (const name of sha256.split(",")) {
    const path = contentPath(directory, name);
    assertDurable(calls, path);
    const named = calls.findLastIndex((call) => isNaming(call) && call.to === path);
    for (let at = dirname(path); at !== dirname(directory); at = dirname(at))
      assertSynced(calls.slice(named), at);
  }
  const later = calls.slice(calls.findIndex(isNaming));
  assert.equal(later.filter((call) => isSync(call) && call.file === directory).length, 1);
});

for (const [way, again] of [
  ["alone", "await (await blobs.stage(parts())).keep();"],
  ["with others", `await blobs.storeAll(new Map([[blob.sha256, Buffer.from("one more ")]]));`],
])
  test(`a content that exists, stored again ${way}: its directories are synced, as they may not be yet`, {
    skip: !CAN_TRACE,
  }, (t) => {
    const { calls, directory, sha256 } = trace(
      t,
      `const blob = await blobs.stage(parts());
      await blob.keep();
      ${again}
      console.log(blob.sha256);`,
    );
    const later = calls.slice(calls.findIndex(isNaming));
    for (let at = dirname(contentPath(directory, sha256)); at !== dirname(directory); at = dirname(at))
      assert.equal(later.filter((call) => isSync(call) && call.file === at).length, 2, at);
  });

test("partial content: the bytes are synced before they are counted", { skip: !CAN_TRACE }, (t) => {
  const counted = join(tmpdir(), `berth-counted-${process.pid}`);
  t.after(() => rmSync(counted, { force: true }));
  const { calls, directory } = trace(
    t,
    `import { writeFileSync } from "node:fs";
    await blobs.partial("it").append(0, parts(), async () => writeFileSync(${JSON.stringify(counted)}, "x"));
    console.log("");`,
  );
  const count = calls.findIndex((call) => isWrite(call) && call.file === counted);
  const before = calls.slice(0, count).filter(({ file }) => file === join(directory, "growing/it"));
  assert.deepEqual(
    before.slice(-2).map((call) => [isWrite(call), isSync(call)]),
    [
      [true, false],
      [false, true],
    ],
  );
});

/** Runs a script with an open store, `blobs`. Returns its calls in order, and what it printed. */
function trace(t: TestContext, script: string): { calls: FileCall[]; directory: string; sha256: string } {
  const directory = mkdtempSync(join(tmpdir(), "berth-durable-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const root = join(directory, "blobs");
  const program = `import { openDiskBlobs } from ${JSON.stringify(import.meta.resolve("./disk-blobs.ts"))};
    const blobs = await openDiskBlobs(${JSON.stringify(root)});
    async function* parts() { yield Buffer.from("one "); yield Buffer.from("more "); }
    ${script}`;
  const { calls, stdout } = fileCalls(directory, program);
  return { calls, directory: root, sha256: stdout };
}
