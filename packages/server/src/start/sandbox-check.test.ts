import assert from "node:assert/strict";
import { test } from "node:test";
import { NoRoomError, type SandboxEngine, SandboxError, type SandboxSpec } from "@berth/sandbox";
import { silentLog } from "../../test-support/database.ts";
import { SandboxCheck } from "./sandbox-check.ts";

function engineThat(fails: Error): { engine: SandboxEngine; opened: string[] } {
  const opened: string[] = [];
  const open = async ({ id }: SandboxSpec) => {
    opened.push(id);
    throw fails;
  };
  return { engine: { open } as unknown as SandboxEngine, opened };
}

test("SandboxCheck: that there is no room is no fault of the engine, and nothing is tried for it", async () => {
  const { engine, opened } = engineThat(new NoRoomError());
  const check = new SandboxCheck(engine, "/nowhere", silentLog);
  await assert.rejects(check.open({ id: "a" } as SandboxSpec), NoRoomError);
  assert.deepEqual(opened, ["a"]);
  check.check();
  await check.tried;
  assert.equal(check.works, true);
  await check.close();
});

test("SandboxCheck: an engine that opens nothing is told of", async () => {
  const check = new SandboxCheck(engineThat(new SandboxError("broken")).engine, "/nowhere", silentLog);
  check.check();
  await check.tried;
  assert.equal(check.works, false);
  await check.close();
});
