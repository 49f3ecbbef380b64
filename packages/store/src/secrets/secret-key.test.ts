import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  assertDurable,
  assertSynced,
  CAN_TRACE,
  type FileCall,
  fileCalls,
  isNaming,
} from "../../test-support/file-calls.ts";

// A lost key makes everything that is sealed with it unreadable. So a key is durable before anything is
// sealed with it.

test("a new key: its bytes are synced before it gets its name, its directory afterwards", {
  skip: !CAN_TRACE,
}, (t) => {
  const { calls, directory } = trace(t, "readSecretKey({ file: null, dataDir });");
  assertDurable(calls, join(directory, "secret.key"));
});

test("a replaced key: the former one has its name durably before the new one, synced, takes its place", {
  skip: !CAN_TRACE,
}, (t) => {
  const { calls, directory } = trace(t, "readSecretKey({ file: null, dataDir }); replaceSecretKey(dataDir);");
  const names = (name: string) => (call: FileCall) => isNaming(call) && call.to === join(directory, name);
  const kept = calls.findIndex(names("secret.key.former"));
  const replaced = calls.findLastIndex(names("secret.key"));
  assert.ok(kept >= 0 && kept < replaced);
  assertSynced(calls.slice(kept, replaced), directory);
  assertDurable(calls, join(directory, "secret.key"));
});

function trace(t: TestContext, script: string): { calls: FileCall[]; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "berth-key-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const program = `import { readSecretKey, replaceSecretKey } from ${JSON.stringify(import.meta.resolve("./secret-key.ts"))};
    const dataDir = ${JSON.stringify(directory)};
    ${script}`;
  return { calls: fileCalls(directory, program).calls, directory };
}
