import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Draft, LeaseLost } from "@berth/agent";
import { formatId, newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { appendInputs, appendTerminated, readPage, waitingInputs } from "@berth/store/session-log";
import { testDatabase, testServers } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { appendByRun, appendIdle, appendRunning, appendTakingInputs } from "./append-events.ts";

const message = (text: string) => ({
  type: "user.message" as const,
  content: [{ type: "text" as const, text }],
});
const said = (text: string) => ({
  event: { type: "agent.message" as const, content: [{ type: "text" as const, text }] },
});
const request = { event: { type: "span.model_request_start" as const, model: "m" } };

for (const server of testServers) {
  describe(`events on ${server.label}`, () => {
    test("append: sixteen writers → no gap and no duplicate, and a follower reads each event once, in order", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const [writers, each] = [16, 25];
      let writing = true;
      const seen: number[] = [];
      const reader = (async () => {
        for (;;) {
          const last = !writing;
          const { events: page } = await readPage(db.read, sessionId, seen.at(-1) ?? 0, 50);
          seen.push(...page.map((event) => event.seq));
          if (last && page.length === 0) return;
        }
      })();
      const acknowledged = new Set<number>();
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let n = 0; n < each; n++) {
            const rows = await appendInputs(db.write, sessionId, [message(`${writer}.${n}`), message("and")]);
            assert.ok(Array.isArray(rows));
            for (const row of rows) acknowledged.add(row.seq);
          }
        }),
      );
      writing = false;
      await reader;
      const expected = Array.from({ length: writers * each * 2 }, (_, index) => index + 1);
      assert.deepEqual(seen, expected);
      assert.equal(acknowledged.size, expected.length);
    });

    test("a response counts the same, whether it is appended alone or with the start of the next request", async (t) => {
      const db = await testDatabase(t, server);
      const seeded = await seed(db.write);
      const usage = {
        ...{ input_tokens: 11, output_tokens: 12, cache_read_input_tokens: 13 },
        ...{ cache_creation_input_tokens: 14, cache_creation_1h_input_tokens: 5 },
      };
      const ended = (is_error: boolean) => ({
        event: {
          type: "span.model_request_end" as const,
          model_request_start_id: formatId("event", newUuid()),
          is_error,
          model_usage: usage,
        },
      });
      const compacted = {
        event: {
          type: "agent.context_compacted" as const,
          input_tokens_before: 900,
          input_tokens_after: 100,
        },
      };
      const countedBy = async (
        append: (db: Queryable, lease: Lease, drafts: Draft[]) => Promise<unknown>,
      ) => {
        const sessionId = await seedSession(db.write, seeded);
        const lease = await seedLease(db.write, sessionId, "own");
        await appendByRun(db.write, lease, [ended(false), compacted]);
        await appendIdle(db.write, lease, [], 60_000);
        await append(db.write, lease, [said("a"), ended(false), request]);
        await append(db.write, lease, [ended(true), request]);
        const { rows } = await db.read.query<Record<string, unknown>>({
          text: "select to_jsonb(sessions) as row from sessions where id = $1",
          values: [sessionId],
        });
        const row = rows[0]?.row as Record<string, unknown>;
        assert.equal(row.summary_due_at, null);
        return Object.fromEntries(
          Object.entries(row).filter(([name]) =>
            /token|compaction|status|summary|last_seq|awaited/.test(name),
          ),
        );
      };
      const alone = await countedBy(appendByRun);
      assert.equal(alone.cache_creation_1h_input_tokens, 15);
      assert.equal(alone.compaction_avoided_tokens, 800);
      assert.deepEqual(await countedBy(appendTakingInputs), alone);
    });

    test("append: the lease was taken over at any moment → nothing is written", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      let lost = 0;
      for (let round = 0; round < 200; round++) {
        const stale = await seedLease(db.write, sessionId, "old");
        const [append, taken] = await Promise.all([
          appendByRun(db.write, stale, [said(`${round}`)]).then(
            ({ entries }) => entries[0]?.seq ?? 0,
            (error: unknown) => {
              assert.ok(error instanceof LeaseLost);
              return null;
            },
          ),
          db.transaction(async (tx) => {
            const lease = await seedLease(tx, sessionId, "new");
            const { rows } = await tx.query<{ last_seq: number }>({
              text: "select last_seq from sessions where id = $1",
              values: [sessionId],
            });
            return { lease, last: rows[0]?.last_seq ?? 0 };
          }),
        ]);
        if (append === null) lost += 1;
        else assert.ok(append <= taken.last, "an append of the old run came after the takeover");
        for (const late of [appendByRun, appendIdle, appendTakingInputs]) {
          await assert.rejects(late(db.write, stale, [said("late")]), LeaseLost);
        }
        await assert.rejects(appendRunning(db.write, stale), LeaseLost);
      }
      const log = await readLog(db.read, sessionId);
      assert.equal(log.length, 200 - lost);
      assert.ok(!JSON.stringify(log).includes("late"));
    });

    test("take inputs: returns every message before what it appends, also one that commits meanwhile", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "worker");
      for (let round = 0; round < 30; round++) {
        const [taken] = await Promise.all([
          appendTakingInputs(db.write, lease, [request]),
          ...[1, 2, 3, 4].map((n) => appendInputs(db.write, sessionId, [message(`${round}.${n}`)])),
        ]);
        const own = taken.at(-1)?.seq ?? 0;
        const waiting = (await readLog(db.read, sessionId)).filter(
          (entry) => entry.event.processed_at === null,
        );
        assert.ok(
          waiting.every((entry) => entry.seq > own),
          "an input before the request was not taken",
        );
        assert.deepEqual(
          taken.map((entry) => entry.seq),
          taken.map((entry) => entry.seq).sort((a, b) => a - b),
        );
        await appendTakingInputs(db.write, lease, [request]);
        assert.deepEqual(await waitingInputs(db.read, sessionId), {
          replies: false,
          requiresAction: false,
          messages: false,
          interrupts: false,
          interruptedMessages: false,
          budget: null,
        });
      }
    });

    test("interrupt: processed when the session goes idle, with everything sent before it", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "worker");
      await appendRunning(db.write, lease);
      await appendInputs(db.write, sessionId, [message("one"), { type: "user.interrupt" }, message("two")]);
      const idle = {
        event: { type: "session.status_idle" as const, stop_reason: { type: "cancelled" as const } },
      };
      await appendIdle(db.write, lease, [idle]);
      const log = await readLog(db.read, sessionId);
      assert.deepEqual(
        log.map(({ event }) => [event.type, event.processed_at === null]),
        [
          ["session.status_running", false],
          ["user.message", false],
          ["user.interrupt", false],
          ["user.message", true],
          ["session.status_idle", false],
        ],
      );
      const taken = await appendTakingInputs(db.write, lease, [request]);
      assert.deepEqual(
        taken.map(({ event }) => event.type),
        ["user.message", "span.model_request_start"],
      );
    });

    test("store: the body is the event without its id, times and memo", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "worker");
      const id = formatId("event", newUuid());
      const text = 'quotes " and \u0000 and \ud800 and 你好';
      await appendByRun(db.write, lease, [
        { id, ...said(text), memo: { opaque: { signature: "s" } } },
        { event: { type: "agent.thinking" } },
      ]);
      const [first, second] = (await readPage(db.read, sessionId, 0, 10)).events;
      const parsed = JSON.parse(first?.json ?? "");
      assert.equal(parsed.id, id);
      assert.deepEqual(parsed.content, [{ type: "text", text }]);
      assert.deepEqual(Object.keys(JSON.parse(second?.json ?? "")), [
        "id",
        "type",
        "created_at",
        "processed_at",
      ]);
      assert.deepEqual((await readLog(db.read, sessionId))[0]?.memo, { opaque: { signature: "s" } });
      assert.ok(!(first?.json ?? "").includes("signature"));
    });

    test("append: adds token usage to the session, and active time when it goes idle", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "worker");
      await appendRunning(db.write, lease);
      const model_usage = {
        input_tokens: 5,
        output_tokens: 7,
        cache_read_input_tokens: 11,
        cache_creation_input_tokens: 13,
      };
      const end = {
        type: "span.model_request_end" as const,
        model_request_start_id: formatId("event", newUuid()),
        is_error: false,
        model_usage,
      };
      await appendByRun(db.write, lease, [{ event: end }, { event: { ...end, model_usage: null } }]);
      await appendTakingInputs(db.write, lease, [{ event: end }]);
      await db.write.query({ text: "update sessions set running_since = now() - interval '90 seconds'" });
      const idle = {
        event: { type: "session.status_idle" as const, stop_reason: { type: "end_turn" as const } },
      };
      await appendIdle(db.write, lease, [idle]);
      const { rows } = await db.read.query({
        text: `select status, running_since, active_ms / 1000 as active, input_tokens, output_tokens,
          cache_read_input_tokens, cache_creation_input_tokens from sessions`,
      });
      assert.deepEqual(rows, [
        {
          status: "idle",
          running_since: null,
          active: 90,
          input_tokens: 10,
          output_tokens: 14,
          cache_read_input_tokens: 22,
          cache_creation_input_tokens: 26,
        },
      ]);
    });

    test("append inputs: an archived, terminated or absent session → nothing, with the reason", async (t) => {
      const db = await testDatabase(t, server);
      const from = await seed(db.write);
      const [archived, terminated] = [await seedSession(db.write, from), await seedSession(db.write, from)];
      await db.write.query({
        text: "update sessions set archived_at = now() where id = $1",
        values: [archived],
      });
      const lease = await seedLease(db.write, terminated, "worker");
      await appendInputs(db.write, terminated, [message("one")]);
      assert.equal(await appendTerminated(db.write, terminated), true);
      assert.equal(await appendTerminated(db.write, terminated), false);
      assert.equal(await appendInputs(db.write, archived, [message("no")]), "archived");
      assert.equal(await appendInputs(db.write, terminated, [message("no")]), "terminated");
      assert.equal(await appendInputs(db.write, newUuid(), [message("no")]), "absent");
      await assert.rejects(appendByRun(db.write, lease, [said("no")]), LeaseLost);
      assert.deepEqual(
        (await readLog(db.read, terminated)).map(({ event }) => event.type),
        ["user.message", "session.status_terminated"],
      );
    });

    test("read: pages of large events are limited by bytes, and nothing is skipped", async (t) => {
      const db = await testDatabase(t, server);
      const sessionId = await seedSession(db.write, await seed(db.write));
      const lease = await seedLease(db.write, sessionId, "worker");
      for (let n = 0; n < 6; n++) await appendByRun(db.write, lease, [said("x".repeat(700_000))]);
      const sizes: number[] = [];
      for (let after = 0; ; ) {
        const { events: page } = await readPage(db.read, sessionId, after, 100);
        if (page.length === 0) break;
        sizes.push(page.length);
        after = page.at(-1)?.seq ?? after;
      }
      assert.deepEqual(sizes, [2, 2, 2]);
      assert.equal((await readLog(db.read, sessionId)).length, 6);
    });
  });
}
