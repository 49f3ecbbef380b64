import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Berth } from "../acceptance/harness/berth.ts";
import { isSampled, isWhole } from "../effort/effort.ts";
import { clientOf, LoadedSession } from "./load.ts";
import { isAlive, type Part, waitForPid } from "./processes.ts";
import { newSeed, randomFrom } from "./seed.ts";

const USUAL = isSampled() ? 5 : 10;
const ROUNDS = isWhole("crash") ? 20 : USUAL;

let berth: Berth;
let token: string;
before(async () => {
  berth = await Berth.start();
  token = await berth.token();
});
after(() => berth.stop());

for (const part of ["api", "runner", "postgres"] as const) {
  test(`${ROUNDS} kills of the ${part} under load: no event is lost, duplicated or reordered`, {
    timeout: 600_000,
  }, async (context) => {
    const current = clientOf(() => berth, token);
    const sessions = await Promise.all(Array.from({ length: 3 }, () => LoadedSession.start(current)));
    const seed = newSeed();
    context.diagnostic(`seed ${seed}`);
    for (const wait of waits(seed, ROUNDS)) {
      await pause(wait);
      await killAndRecover(part);
    }
    for (const session of sessions) {
      assert.ok(
        session.acknowledged.length > ROUNDS,
        `only ${session.acknowledged.length} messages were acknowledged`,
      );
      await session.check();
    }
  });
}

/** Kills one part and resolves when the service is ready with that part in a new process. */
async function killAndRecover(part: Part): Promise<void> {
  const victim = await waitForPid(berth, part);
  process.kill(victim, "SIGKILL");
  if (part === "api") {
    await berth.kill("SIGKILL");
    berth = await Berth.start({ dataDir: berth.dataDir });
  } else {
    while (isAlive(victim)) await pause(5);
    await waitForPid(berth, part);
  }
  await berth.ready();
}

/** Returns pseudo-random milliseconds between kills, 300 to 1,100. */
function waits(seed: number, count: number): number[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => 300 + Math.floor(random() * 800));
}
