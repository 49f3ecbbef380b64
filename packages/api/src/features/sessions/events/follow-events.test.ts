import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { newUuid, parseId } from "@berth/contract";
import { appendByRun } from "@berth/runs/test-support/internals/lease";
import { createTokenWatch } from "@berth/store/access";
import type { Lease } from "@berth/store/leases";
import { openSessionHub, type SessionHub } from "@berth/store/notify";
import { appendTerminated, readPage, seqOfEvent } from "@berth/store/session-log";
import { silentLog, type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { openSse, type SseOptions } from "../../../http/sse.ts";
import { markDeleted } from "../session-store.ts";
import { followEvents } from "./follow-events.ts";
import { createSharedReader } from "./shared-reader.ts";

interface House {
  db: TestDatabase;
  hub: SessionHub;
  lease: Lease;
  sessionId: string;
  /** Returns the number of statements that the followers made. */
  reads(): number;
  /** Open responses, oldest first. */
  responses: ServerResponse[];
  /** Opens the stream after an event, or from the start. */
  open(afterId?: string): Promise<IncomingMessage>;
  append(texts: readonly string[]): Promise<void>;
}

/** Ignores the error of a stream that reads while the test's database is closed, which happens first. */
function unlessClosed(error: unknown): void {
  assert.match(String(error), /The database is closed/);
}

/** Creates a session with a stream over sockets, whose hub differs from the writer's. */
async function house(
  t: TestContext,
  options: SseOptions & { pollMs?: number; mute?: boolean; terminated?: boolean } = {},
): Promise<House> {
  const db = await testDatabase(t);
  const sessionId = await seedSession(db.write, await seed(db.write));
  const lease = await seedLease(db.write, sessionId, "worker");
  const pollMs = options.pollMs ?? 60_000;
  const [hub, writers] = await Promise.all([
    openSessionHub({ db, log: silentLog, pollMs }),
    openSessionHub({ db, log: silentLog, pollMs }),
  ]);
  let reads = 0;
  const query: TestDatabase["read"]["query"] = (statement) => {
    reads += 1;
    return db.read.query(statement);
  };
  const read = createSharedReader({ query });
  const responses: ServerResponse[] = [];
  const following: Promise<void>[] = [];
  const server = createServer(async (request, response) => {
    const id = request.headers["last-event-id"];
    const uuid = typeof id === "string" ? parseId("event", id) : null;
    const afterSeq = uuid === null ? 0 : ((await seqOfEvent(db.read, sessionId, uuid)) ?? -1);
    responses.push(response);
    const sse = openSse(response, options);
    const terminated = options.terminated ?? false;
    const from = { sessionId, afterSeq, terminated, hub, read, sse };
    following.push(followEvents(from).catch(unlessClosed));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all(following);
    await Promise.all([hub.close(), writers.close()]);
  });
  return {
    db,
    hub,
    lease,
    sessionId,
    reads: () => reads,
    responses,
    async open(afterId) {
      const { port } = server.address() as AddressInfo;
      const headers = afterId === undefined ? {} : { "last-event-id": afterId };
      const request = get({ port, host: "127.0.0.1", headers, agent: false });
      const [answer] = (await once(request, "response")) as [IncomingMessage];
      answer.on("error", () => undefined);
      const silent = new Error(
        `The stream after ${afterId ?? "the start"} was silent for ${MAX_SILENCE_MS} ms.`,
      );
      answer.setTimeout(MAX_SILENCE_MS, () => answer.destroy(silent));
      return answer;
    },
    async append(texts) {
      const drafts = texts.map((text) => ({
        event: { type: "agent.message" as const, content: [{ type: "text" as const, text }] },
      }));
      await appendByRun(db.write, lease, drafts);
      if (options.mute !== true) writers.publish(sessionId);
    },
  };
}

/** Returns the ids of a stream's frames, until `enough` returns true, `bytes` were read, or it ends. */
async function frames(
  answer: IncomingMessage,
  enough: (ids: readonly string[]) => boolean,
  bytes = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = [];
  let text = "";
  let received = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const kept = chunk.subarray(0, Math.max(0, bytes - received));
    received += chunk.length;
    text += kept.toString("latin1");
    const whole = text.split("\n\n");
    text = whole.pop() ?? "";
    for (const frame of whole) if (frame.startsWith("id: ")) ids.push(frame.slice(4).split("\n")[0] ?? "");
    if (received >= bytes || enough(ids)) break;
  }
  answer.destroy();
  return ids;
}

const MAX_SILENCE_MS = 30_000;

const never = () => false;

describe("followEvents", { timeout: 120_000 }, () => {
  test("connection cut at random bytes, resumed each time → the reader has the exact log", async (t) => {
    const own = await house(t);
    const total = 400;
    const writing = (async () => {
      for (let n = 0; n < total; n += 4) await own.append(["a".repeat(n), "b", "c".repeat(n % 7), "d"]);
    })();
    const seen: string[] = [];
    while (seen.length < total) {
      const bytes = 200 + Math.floor(Math.random() * 9_000);
      const got = await frames(
        await own.open(seen.at(-1)),
        (ids) => seen.length + ids.length >= total,
        bytes,
      );
      seen.push(...got);
    }
    await writing;
    assert.deepEqual(seen, await logIds(own));
  });

  test("100 readers of a session → one statement for each event, and each reader has the log", async (t) => {
    const own = await house(t);
    const total = 20;
    const counts = Array.from({ length: 100 }, () => 0);
    let expected = 1;
    let received = Promise.withResolvers<void>();
    const readers = counts.map(async (_, reader) =>
      frames(await own.open(), (ids) => {
        counts[reader] = ids.length;
        if (counts.every((count) => count === expected)) received.resolve();
        return ids.length === total;
      }),
    );
    await own.append(["first"]);
    await received.promise;
    const before = own.reads();
    while (expected < total) {
      expected += 1;
      received = Promise.withResolvers();
      await own.append([`event ${expected}`]);
      await received.promise;
    }
    assert.equal(own.reads() - before, total - 1);
    const log = await logIds(own);
    for (const ids of await Promise.all(readers)) assert.deepEqual(ids, log);
  });

  test("frames have id, type and the event as JSON, after a retry hint", async (t) => {
    const own = await house(t);
    await own.append(["hello"]);
    const answer = await own.open();
    assert.equal(answer.headers["content-type"], "text/event-stream; charset=utf-8");
    assert.equal(answer.headers["x-accel-buffering"], "no");
    let text = "";
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.includes("data:")) break;
    }
    const [event] = (await readPage(own.db.read, own.sessionId, 0, 1)).events;
    assert.equal(text, `retry: 1000\n\nid: ${event?.id}\nevent: agent.message\ndata: ${event?.json}\n\n`);
  });

  test("a quiet stream sends comments", async (t) => {
    const own = await house(t, { pingMs: 20 });
    let text = "";
    for await (const chunk of (await own.open()) as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.endsWith(":\n\n:\n\n")) break;
    }
    assert.match(text, /^retry: 1000\n\n(:\n\n){2,}$/);
  });

  test("a paused reader → at most a chunk is buffered, and it gets everything later", async (t) => {
    const own = await house(t);
    const slow = await own.open();
    slow.pause();
    let largest = 0;
    // The moment at which the reader lags depends on the machine's socket buffers.
    let count = 0;
    for (let lags = false; count < 1_000 || (!lags && count < 4_000); count += 25) {
      await own.append(Array.from({ length: 25 }, () => "x".repeat(20_000)));
      lags = own.responses[0]?.writableNeedDrain === true;
      largest = Math.max(largest, own.responses[0]?.writableLength ?? 0);
    }
    assert.ok(largest < 256 * 1024, `${largest} bytes are held for one reader`);
    const live = await frames(await own.open(), (ids) => ids.length >= count);
    assert.equal(live.length, count);
    assert.deepEqual(await frames(slow, (ids) => ids.length >= count), live);
  });

  test("a reader that stalls too long → disconnected, and it can resume", async (t) => {
    const options: SseOptions = { stallMs: 50 };
    const own = await house(t, options);
    const slow = await own.open();
    slow.pause();
    const closed = new Promise((resolve) => slow.once("close", resolve));
    const response = own.responses[0];
    let count = 0;
    for (; count < 500 || (response?.writableNeedDrain === false && count < 4_000); count += 25) {
      await own.append(Array.from({ length: 25 }, () => "x".repeat(20_000)));
    }
    if (response?.destroyed === false) await once(response, "close");
    slow.resume();
    await closed;
    // The readers from here on do not stall, but a busy machine lets them wait.
    options.stallMs = MAX_SILENCE_MS;
    const first = await frames(await own.open(), (ids) => ids.length >= 10);
    const rest = await frames(await own.open(first[9]), (ids) => ids.length >= count - 10);
    assert.deepEqual([...first.slice(0, 10), ...rest], await logIds(own));
  });

  test("a lost notification → the event arrives by the poll", async (t) => {
    const own = await house(t, { mute: true, pollMs: 100 });
    const reading = frames(await own.open(), (ids) => ids.length === 1);
    await own.append(["unannounced"]);
    assert.equal((await reading).length, 1);
  });

  test("the session is terminated → the stream ends", async (t) => {
    const own = await house(t);
    await own.append(["before"]);
    const reading = frames(await own.open(), never);
    await appendTerminated(own.db.write, own.sessionId);
    own.hub.publish(own.sessionId);
    assert.deepEqual(await reading, await logIds(own));
    assert.equal((await frames(await own.open(), never)).length, 2);
  });

  test("opened after the session was terminated, with more than a page to read → the stream has the whole log, and ends", async (t) => {
    const own = await house(t, { terminated: true });
    for (let n = 0; n < 5; n++) await own.append(Array.from({ length: 99 }, (_, place) => `${n} ${place}`));
    await appendTerminated(own.db.write, own.sessionId);
    const log = await logIds(own);
    assert.equal(log.length, 5 * 99 + 1);
    assert.deepEqual(await frames(await own.open(), never), log);
    assert.deepEqual(await frames(await own.open(log[210]), never), log.slice(211));
    assert.deepEqual(await frames(await own.open(log.at(-1)), never), []);
  });

  for (const removed of [false, true]) {
    test(`the session is deleted${removed ? ", also its row" : ""} → the stream ends with session.deleted`, async (t) => {
      const own = await house(t, { mute: true, pollMs: 100 });
      await own.append(["before"]);
      const response = await own.open();
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const ended = once(response, "end");
      await once(response, "data");
      await markDeleted(own.db.write, [own.sessionId]);
      if (removed) await own.db.write.query({ text: "delete from sessions" });
      await ended;
      const events = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
      assert.equal(events.at(-1), "session.deleted");
      assert.match(text, /^id: evt_\w{26}\nevent: session\.deleted\ndata: \{"id":"evt_.*"processed_at":"/m);
    });
  }

  test("token watch: a revoked or expired token → reported once; others are not", async (t) => {
    const db = await testDatabase(t);
    const seeded = await seed(db.write);
    const { organizationId } = seeded;
    const sessionId = await seedSession(db.write, seeded);
    const [revoked, expired, valid] = [newUuid(), newUuid(), newUuid()];
    for (const id of [revoked, expired, valid]) {
      await db.write.query({
        text: `insert into tokens (id, organization_id, owner_type, owner_id, kind, principal_id, name, scopes, hash, last4)
          values ($1, $2, 'organization', $2, 'sat', $2, 't', '{*}', $3, 'abcd')`,
        values: [id, organizationId, Buffer.from(id)],
      });
    }
    const watch = createTokenWatch(db.read, silentLog, 20);
    t.after(() => watch.close());
    const told: string[] = [];
    const both = new Promise<void>((resolve) => {
      for (const id of [revoked, expired, valid]) {
        watch.watch({ tokenId: id, sessionId }, () => {
          told.push(id);
          if (told.length === 2) resolve();
        });
      }
    });
    await db.write.query({ text: "update tokens set revoked_at = now() where id = $1", values: [revoked] });
    await db.write.query({ text: "update tokens set expires_at = now() where id = $1", values: [expired] });
    await both;
    assert.deepEqual(told.sort(), [revoked, expired].sort());
  });
});

async function logIds({ db, sessionId }: House): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const { events: page } = await readPage(db.read, sessionId, ids.length, 1000);
    if (page.length === 0) return ids;
    ids.push(...page.map((event) => event.id));
  }
}
