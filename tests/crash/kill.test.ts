import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Berth } from "../acceptance/harness/berth.ts";
import { clientOf, LoadedSession } from "./load.ts";
import { isAlive, livingPid, type Part } from "./processes.ts";

const rounds = Number(process.env.BERTH_TEST_CRASH_ROUNDS ?? 20);

let berth: Berth;
let token: string;
before(async () => {
  berth = await Berth.start();
  token = await berth.token();
});
after(() => berth.stop());

for (const part of ["api", "runner", "postgres"] as const) {
  test(`${rounds} times SIGKILL of the ${part} under load loses, doubles and reorders nothing`, {
    timeout: 300_000,
  }, async (context) => {
    const current = clientOf(() => berth, token);
    const sessions = await Promise.all(Array.from({ length: 3 }, () => LoadedSession.start(current)));
    const seed = Math.trunc(Math.random() * 2 ** 31);
    context.diagnostic(`seed ${seed}`);
    for (const wait of waits(seed, rounds)) {
      await pause(wait);
      await killAndRecover(part);
    }
    for (const session of sessions) {
      assert.ok(
        session.acknowledged.length > rounds,
        `only ${session.acknowledged.length} messages got through`,
      );
      await session.check();
    }
  });
}

/** Ends when the service answers again, with the killed part in a new process. */
async function killAndRecover(part: Part): Promise<void> {
  const victim = await livingPid(berth, part);
  process.kill(victim, "SIGKILL");
  if (part === "api") {
    await berth.kill("SIGKILL");
    berth = await Berth.start({ dataDir: berth.dataDir });
  } else {
    while (isAlive(victim)) await pause(5);
    await livingPid(berth, part);
  }
  await berth.ready();
}

/** Pseudo-random times between kills, 300 to 1,100 ms, from a seed that the test prints. */
function waits(seed: number, count: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 300 + (state % 800);
  });
}
