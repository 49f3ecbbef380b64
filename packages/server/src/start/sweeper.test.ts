import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "@berth/store/test-support/database";
import { MINUTE_MS, startSweeper } from "./sweeper.ts";

test("startSweeper: the first round fails → it has ended, and the next starts after the interval", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let tries = 0;
  const failing = async () => {
    tries++;
    throw new Error("no");
  };
  const sweeping = startSweeper({ failing }, silentLog, MINUTE_MS);
  await sweeping.swept;
  assert.equal(tries, 1);
  t.mock.timers.tick(59_999);
  assert.equal(tries, 1);
  t.mock.timers.tick(1);
  assert.equal(tries, 2);
  await sweeping.close();
});

test("startSweeper: every sweep runs now and each hour, whether or not others fail, until close", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const done: string[] = [];
  const until = Promise.withResolvers<void>();
  const sweeping = startSweeper(
    {
      failing: async () => {
        done.push("failing");
        throw new Error("no");
      },
      other: async (signal) => {
        done.push("other");
        if (done.length < 4) return;
        signal.addEventListener("abort", () => until.resolve(), { once: true });
        await until.promise;
        done.push("ended");
      },
      last: async () => void done.push("last"),
    },
    silentLog,
  );
  const drained = async () => await new Promise((resolve) => setImmediate(resolve));
  await drained();
  assert.deepEqual(done, ["failing", "other", "last"]);
  t.mock.timers.tick(3_600_000);
  await drained();
  assert.deepEqual(done.slice(3), ["failing", "other"]);
  t.mock.timers.tick(3_600_000);
  await sweeping.close();
  assert.deepEqual(done.slice(3), ["failing", "other", "ended"]);
});
