import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId } from "@berth/contract";
import { createFakeEngine } from "@berth/sandbox/fake";
import { testDatabase } from "@berth/store/test-support/database";
import { pino } from "pino";
import { sweepSandboxes } from "./sweep-sandboxes.ts";

const held = "01890a5d-ac96-774b-bcce-b302099a8057";
const abandoned = "01890a5d-ac96-774b-bcce-b302099a8058";

test("sweepSandboxes: the sandbox of a session that is not held → closed and logged; all others stay open", async (t) => {
  const engine = createFakeEngine();
  const ids = [held, abandoned].map((id) => formatId("session", id)).concat("layer_of_packages");
  for (const id of ids) await engine.open(spec(id));
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void lines.push(line) });
  const db = await testDatabase(t);
  await sweepSandboxes(engine, db.write, (id) => id === held, log);
  assert.deepEqual(
    engine.sandboxes.map(({ gone }) => gone),
    [false, true, false],
  );
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ level, sandbox }) => ({ level, sandbox })),
    [{ level: 50, sandbox: ids[1] }],
  );
});

function spec(id: string) {
  return {
    id,
    disk: "/nowhere",
    uid: 100_000,
    limits: { memoryBytes: 1e8, pids: 64, cpus: 1, diskBytes: null },
    egress: { mode: "limited" as const, hosts: [] },
    files: [],
    writable: [],
  };
}
