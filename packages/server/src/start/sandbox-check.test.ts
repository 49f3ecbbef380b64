import assert from "node:assert/strict";
import { test } from "node:test";
import { NoRoomError, type SandboxEngine, SandboxError, type SandboxSpec } from "@berth/sandbox";
import { silentLog } from "@berth/store/test-support/database";
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

/** Returns an engine whose sandbox waits until `goOn` is called. */
function waitingEngine(othersRun: boolean): { engine: SandboxEngine; goOn(): void; signals: AbortSignal[] } {
  const going = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const open = async ({ onWaiting, signal }: SandboxSpec) => {
    if (signal !== undefined) signals.push(signal);
    const aborted = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => aborted.reject(new SandboxError("given up")));
    onWaiting?.({ for: "place", reason: "0/1 nodes are available.", othersRun });
    await Promise.race([going.promise, aborted.promise]);
    onWaiting?.(null);
    return { close: async () => {} };
  };
  return { engine: { open } as unknown as SandboxEngine, goOn: () => going.resolve(), signals };
}

test("SandboxCheck: its sandbox finds no place, and no other runs → that is known at once, and ends when it has one", async () => {
  const { engine, goOn, signals } = waitingEngine(false);
  const lines: object[] = [];
  const log = { ...silentLog, error: (line: object) => lines.push(line) } as unknown as typeof silentLog;
  const check = new SandboxCheck(engine, "/nowhere/check", log);
  check.check();
  await check.tried;
  assert.equal(check.works, false);
  assert.deepEqual(lines, [{ why: "0/1 nodes are available." }]);
  goOn();
  while (!check.works) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false],
  );
  await check.close();
});

test("SandboxCheck: the reason changes → each is told once until it works, ten at most", async () => {
  const lines: { why?: string; err?: Error }[] = [];
  const log = { ...silentLog, error: (line: object) => lines.push(line) } as unknown as typeof silentLog;
  const going = Promise.withResolvers<void>();
  let told: SandboxSpec["onWaiting"];
  const open = async ({ onWaiting }: SandboxSpec) => {
    told = onWaiting;
    await going.promise;
    return { close: async () => {} };
  };
  const check = new SandboxCheck({ open } as unknown as SandboxEngine, "/nowhere/check", log);
  check.check();
  const say = (reason: string) => told?.({ for: "place", reason, othersRun: false });
  for (const reason of ["not placed yet", "0/1 nodes are available.", "not placed yet"]) say(reason);
  await check.tried;
  assert.deepEqual(
    lines.map(({ why }) => why),
    ["not placed yet", "0/1 nodes are available."],
  );
  for (let at = 0; at < 100; at += 1) say(`request ${at} failed`);
  assert.equal(lines.length, 10);
  going.resolve();
  while (!check.works) await new Promise((resolve) => setImmediate(resolve));
  check.check();
  await new Promise((resolve) => setImmediate(resolve));
  say("not placed yet");
  assert.equal(lines.length, 11);
  await check.close();
});

test("SandboxCheck: others have the room → sandboxes can be opened, and its own gives up", async () => {
  const { engine, signals } = waitingEngine(true);
  const check = new SandboxCheck(engine, "/nowhere/check", silentLog);
  check.check();
  await check.tried;
  assert.equal(check.works, true);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
  await check.close();
});

test("SandboxCheck: it is closed while its sandbox waits → at once", async () => {
  const { engine, signals } = waitingEngine(false);
  const check = new SandboxCheck(engine, "/nowhere/check", silentLog);
  check.check();
  await check.tried;
  await check.close();
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});
