import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  CAN_TRACE,
  type FileCall,
  fileCalls,
  isNaming,
  isSync,
  isWrite,
} from "../../test-support/file-calls.ts";

// What is sealed with a key is lost without it, so that a key is durable before anything can be sealed with it.

test("a new key: its bytes are synced before it gets its name, its directory afterwards", {
  skip: !CAN_TRACE,
}, (t) => {
  const { calls, directory } = trace(t, "readSecretKey({ file: null, dataDir });");
  assertDurable(calls, directory);
});

test("a replaced key: the new one is synced before it gets the name, the directory afterwards", {
  skip: !CAN_TRACE,
}, (t) => {
  const { calls, directory } = trace(t, "readSecretKey({ file: null, dataDir }); replaceSecretKey(dataDir);");
  assertDurable(calls.slice(calls.findIndex(({ to }) => to?.endsWith("secret.key.former")) + 1), directory);
});

function assertDurable(calls: readonly FileCall[], directory: string): void {
  const named = calls.findIndex((call) => isNaming(call) && call.to === join(directory, "secret.key"));
  const file = calls[named]?.file;
  const written = calls.findIndex((call) => isWrite(call) && call.file === file);
  const synced = calls.findIndex((call, at) => at > written && isSync(call) && call.file === file);
  assert.ok(
    written >= 0 && written < synced && synced < named,
    "synced after it is written, before it is named",
  );
  const later = calls.findLastIndex((call) => isSync(call) && call.file === directory);
  assert.ok(later > named, "the directory is synced after the name exists");
}

function trace(t: TestContext, script: string): { calls: FileCall[]; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "berth-key-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const program = `import { readSecretKey, replaceSecretKey } from ${JSON.stringify(import.meta.resolve("./secret-key.ts"))};
    const dataDir = ${JSON.stringify(directory)};
    ${script}`;
  return { calls: fileCalls(directory, program).calls, directory };
}
