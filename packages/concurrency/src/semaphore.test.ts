import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { type Release, Semaphore } from "./semaphore.ts";

const ACQUIRE = "acquire";

test("any sequence of requests and releases → at most N holders, first come first served, no slot left free", async () => {
  const steps = fc.array(fc.oneof(fc.constant(ACQUIRE), fc.nat()), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (slots, sequence) => {
      const semaphore = new Semaphore(slots);
      const granted: number[] = [];
      const held: Release[] = [];
      let requests = 0;
      let releases = 0;
      for (const step of sequence) {
        if (typeof step === "string") {
          const request = requests++;
          void semaphore.acquire().then((release) => {
            granted.push(request);
            held.push(release);
          });
        } else if (held.length > 0) {
          const [release] = held.splice(step % held.length, 1);
          releases += 1;
          release?.();
          release?.(); // The second call has no effect.
        }
        await settled();
        assert.equal(held.length, Math.min(slots, requests - releases));
        assert.equal(semaphore.free, slots - held.length);
      }
      assert.deepEqual(granted, [...granted.keys()]);
    }),
  );
});

test("run: any mix of work that resolves and rejects → each result is passed on, and every slot is given back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean()), async (slots, outcomes) => {
      const semaphore = new Semaphore(slots);
      let running = 0;
      const work = outcomes.map((fails, index) =>
        semaphore.run(async () => {
          running += 1;
          assert.ok(running <= slots);
          await settled();
          running -= 1;
          if (fails) throw new Error(`${index}`);
          return index;
        }),
      );
      for (const [index, result] of (await Promise.allSettled(work)).entries()) {
        assert.equal(result.status, outcomes[index] ? "rejected" : "fulfilled");
        const seen = result.status === "fulfilled" ? result.value : Number(result.reason.message);
        assert.equal(seen, index);
      }
      assert.equal(semaphore.free, slots);
    }),
  );
});
