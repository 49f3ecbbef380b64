// Subject: the files by which an installation recognizes itself, its contents and its database.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assertDurable, assertSynced, CAN_TRACE, fileCalls } from "@berth/store/test-support/file-calls";
import { diskStoreId } from "@berth/store/test-support/internals/blobs";
import { installationId } from "./installation-id.ts";

const [installation, store] = ["./installation-id.ts", "@berth/store/test-support/internals/blobs"].map(
  (path) => JSON.stringify(import.meta.resolve(path)),
);

for (const [what, name, program] of [
  ["id of the installation", "installation", `(await import(${installation})).installationId`],
  ["name of the store of contents", "store", `await (await import(${store})).diskStoreId`],
] as const) {
  test(`${what}: durable in a new directory, synced before it is named`, { skip: !CAN_TRACE }, (t) => {
    const parent = temporary(t);
    const directory = join(parent, "data");
    const { calls } = fileCalls(parent, `${program}(${JSON.stringify(directory)});`);
    assertDurable(calls, join(directory, name));
    assertSynced(calls, parent);
  });
}

test("id of the installation, name of the store: made once, and the same ever after", async (t) => {
  const directory = temporary(t);
  const id = installationId(directory);
  const names = await Promise.all([diskStoreId(directory), diskStoreId(directory)]);
  assert.equal(installationId(directory), id);
  assert.deepEqual(new Set([...names, await diskStoreId(directory)]).size, 1);
  assert.equal(readFileSync(join(directory, "installation"), "utf8"), `${id}\n`);
});

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-id-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}
