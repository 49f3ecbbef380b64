// Subject: replies to awaited calls, in input-store and runs/lease.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LeaseLost } from "@berth/agent";
import { formatId, newUuid, type StopReason } from "@berth/contract";
import {
  appendByRun,
  appendIdle,
  appendRunning,
  claimRuns,
  clearPending,
  releaseRun,
  takeReplies,
} from "@berth/runs/test-support/internals/lease";
import { claimant } from "@berth/runs/test-support/worker";
import type { Lease } from "@berth/store/leases";
import { appendInputs, startsTurn, waitingInputs } from "@berth/store/session-log";
import { type TestDatabase, testDatabase, testServers } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";

const message = { type: "user.message" as const, content: [{ type: "text" as const, text: "hello" }] };

function confirm(tool_use_id: string, result: "allow" | "deny" = "allow") {
  return { type: "user.tool_confirmation" as const, tool_use_id, result };
}

/** Announces calls that ask for confirmation, and returns their ids. */
async function announce(db: TestDatabase, lease: Lease, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => formatId("event", newUuid()));
  const asked = { name: "Bash", input: {}, evaluated_permission: "ask" as const };
  const drafts = ids.map((id) => ({ id, event: { type: "agent.tool_use" as const, ...asked } }));
  await appendByRun(db.write, lease, drafts);
  return ids;
}

function idle(stop_reason: StopReason) {
  return [{ event: { type: "session.status_idle" as const, stop_reason } }];
}

for (const server of testServers) {
  describe(`replies on ${server.label}`, () => {
    test("concurrent replies to each of many calls → one is accepted; a request counts as a whole or not at all", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "own");
      for (let round = 0; round < 20; round++) {
        const [a = "", b = ""] = await announce(db, lease, 2);
        const requests = [[a], [b], [a, b], [b, a], [a], [b]];
        const outcomes = await Promise.all(
          requests.map((ids) =>
            appendInputs(
              db.write,
              sessionId,
              ids.map((id) => confirm(id)),
            ),
          ),
        );
        const accepted = requests.filter((_, index) => outcomes[index] !== "not_awaited").flat();
        assert.deepEqual(accepted.toSorted(), [a, b].toSorted(), `round ${round}`);
        assert.equal((await takeReplies(db.write, lease)).length, 2);
        assert.deepEqual(await takeReplies(db.write, lease), [], "each is taken once");
      }
    });

    test("a reply concurrent with an interrupt → the first one counts, and no call is awaited then", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "own");
      for (let round = 0; round < 20; round++) {
        const [id = ""] = await announce(db, lease, 1);
        const [outcome] = await Promise.all([
          appendInputs(db.write, sessionId, [confirm(id)]),
          appendInputs(db.write, sessionId, [{ type: "user.interrupt" }]),
        ]);
        const types = (await readLog(db.read, sessionId)).slice(-2).map(({ event }) => event.type);
        if (outcome === "not_awaited") assert.equal(types.at(-1), "user.interrupt");
        else
          assert.deepEqual(
            types,
            ["user.tool_confirmation", "user.interrupt"],
            "the reply precedes the interrupt",
          );
        assert.equal(await appendInputs(db.write, sessionId, [confirm(id)]), "not_awaited");
        await appendIdle(db.write, lease, idle({ type: "cancelled" }));
      }
    });

    test("only the run with the lease takes replies, and none for a call that has its result", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const stale = await seedLease(db.write, sessionId, "old");
      const [a = "", b = ""] = await announce(db, stale, 2);
      await appendInputs(db.write, sessionId, [confirm(a)]);
      const lease = await seedLease(db.write, sessionId, "new");
      await assert.rejects(takeReplies(db.write, stale), LeaseLost);
      const result = { tool_use_id: b, content: [], is_error: true };
      await appendByRun(db.write, lease, [{ event: { type: "agent.tool_result", ...result } }]);
      assert.equal(await appendInputs(db.write, sessionId, [confirm(b)]), "not_awaited");
      const taken = await takeReplies(db.write, lease);
      assert.deepEqual(
        taken.map(({ event }) => event.type === "user.tool_confirmation" && event.tool_use_id),
        [a],
      );
      assert.ok(taken.every(({ event }) => event.processed_at !== null));
    });

    test("a session with an awaited call: a message → no turn; a reply → a turn", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "own");
      await appendRunning(db.write, lease);
      const [id = ""] = await announce(db, lease, 1);
      await appendIdle(db.write, lease, idle({ type: "requires_action", event_ids: [id] }));
      await clearPending(db.write, lease);
      assert.ok(await releaseRun(db.write, lease));
      assert.deepEqual(await claimRuns(db.write, claimant("other", { leaseMs: 10_000 }), 10), []);
      await appendInputs(db.write, sessionId, [message]);
      assert.equal(startsTurn(await waitingInputs(db.read, sessionId)), false);
      await appendInputs(db.write, sessionId, [confirm(id)]);
      assert.equal(startsTurn(await waitingInputs(db.read, sessionId)), true);
      assert.equal((await claimRuns(db.write, claimant("other", { leaseMs: 10_000 }), 10)).length, 1);
    });

    test("an interrupt just before a turn ends because calls wait → it stays, until it has ended the calls", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "own");
      await appendRunning(db.write, lease);
      const [id = ""] = await announce(db, lease, 1);
      await appendInputs(db.write, sessionId, [message, { type: "user.interrupt" }]);
      await appendIdle(db.write, lease, idle({ type: "requires_action", event_ids: [id] }));
      const waiting = await waitingInputs(db.read, sessionId);
      assert.deepEqual([waiting.interrupts, waiting.messages, startsTurn(waiting)], [true, true, true]);
      await appendIdle(db.write, lease, idle({ type: "cancelled" }));
      const ended = await waitingInputs(db.read, sessionId);
      assert.deepEqual([ended.interrupts, ended.messages], [false, false]);
    });
  });
}
