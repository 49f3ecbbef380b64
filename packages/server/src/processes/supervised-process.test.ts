import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { silentLog } from "@berth/store/test-support/database";
import type { ParentOfSampleCalls, SampleCalls } from "../../test-support/sample-process.ts";
import { type ProcessOptions, SupervisedProcess } from "./supervised-process.ts";

const PROGRAM = join(import.meta.dirname, "../../test-support/sample-process.ts");

type Sample = SupervisedProcess<ParentOfSampleCalls, SampleCalls>;

function sample(t: TestContext, options: Partial<ProcessOptions<ParentOfSampleCalls>> = {}): Sample {
  const process: Sample = new SupervisedProcess({
    program: PROGRAM,
    name: "sample",
    log: silentLog,
    calls: { alive: () => undefined, word: (word) => `${word}!` },
    ...options,
  });
  t.after(() => process.stop());
  return process;
}

async function started(
  t: TestContext,
  options?: Partial<ProcessOptions<ParentOfSampleCalls>>,
): Promise<Sample> {
  const one = sample(t, options);
  await one.start(async () => {
    await one.call("start", { fails: false });
  });
  return one;
}

async function replaced(one: Sample, former: number | undefined): Promise<void> {
  while (one.pid === former || !one.isReady) await pause(10);
}

test("calls: both processes ask each other, at the same time, and infinity arrives as it is", async (t) => {
  const one = await started(t);
  const numbers = [1, Infinity, 3];
  const doubled = numbers.map((number) => one.call("double", number));
  assert.equal(await one.call("relay", "word"), "word!");
  assert.deepEqual(await Promise.all(doubled), [2, Infinity, 6]);
});

test("start: the program fails → its own message; it exits → one that says so", async (t) => {
  const failing = sample(t);
  await assert.rejects(
    failing.start(async () => void (await failing.call("start", { fails: true }))),
    { message: "It cannot start." },
  );
  assert.equal(failing.isReady, false);
  const exiting = sample(t);
  await assert.rejects(
    exiting.start(async () => void (await exiting.call("exit", 3))),
    { message: "The sample exited while it was starting." },
  );
});

test("it exits → what it was asked is rejected, and another begins its work", async (t) => {
  const one = await started(t);
  const former = one.pid;
  const waiting = one.call("never", null);
  await assert.rejects(one.call("exit", 1), { message: "The sample exited before it answered." });
  await assert.rejects(waiting, /before it answered/);
  await replaced(one, former);
  assert.equal(await one.call("double", 2), 4);
});

test("it is frozen → its answers are not waited for; it is killed after the limit, and another begins", async (t) => {
  const one = await started(t, { killAfterMs: 1_500 });
  const former = one.pid ?? 0;
  process.kill(former, "SIGSTOP");
  assert.equal(await one.callWithin(50, "double", 2, -1), -1);
  await replaced(one, former);
  assert.equal(await one.callWithin(60_000, "double", 2, -1), 4);
});

test("it is frozen while it starts → it is killed after a limit of its own, and another begins", async (t) => {
  const one = sample(t, { killAfterMs: 60_000, startWithinMs: 4_000 });
  let starts = 0;
  await one.start(async () => {
    starts += 1;
    if (starts === 2) process.kill(one.pid ?? 0, "SIGSTOP");
    await one.call("start", { fails: false });
  });
  await assert.rejects(one.call("exit", 1));
  while (starts < 3 || !one.isReady) await pause(10);
  assert.equal(await one.call("double", 2), 4);
});

test("a server is sent → both processes accept its connections, and the other one goes on alone", async (t) => {
  const one = await started(t);
  const server = createServer((socket) => socket.end("here")).listen(0, "127.0.0.1");
  await once(server, "listening");
  await one.call("join", null, server);
  const { port } = server.address() as AddressInfo;
  const ask = async () => (await connect(port, "127.0.0.1").toArray()).join("");
  const seen = new Set<string>();
  while (seen.size < 2) for (const text of await Promise.all(Array.from({ length: 20 }, ask))) seen.add(text);
  assert.deepEqual(seen, new Set(["here", `${one.pid}`]));
  server.close();
  await once(server, "close");
  assert.equal(await ask(), `${one.pid}`);
});

test("stop: also before it has begun its work, and twice", async (t) => {
  const one = sample(t);
  await one.stop();
  assert.equal(one.isReady, false);
  const other = await started(t);
  await Promise.all([other.stop(), other.stop()]);
});
