import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { type Caller, type TestApp, testApp, type Wire } from "../../../../test-support/http.ts";

const message = (text: string) => ({ type: "user.message", content: [{ type: "text", text }] });

interface House extends TestApp {
  owner: Caller;
  path: string;
  newSession(): Promise<string>;
}

async function house(t: TestContext): Promise<House> {
  const app = await testApp(t);
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const newSession = async () => {
    const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
    return `/sessions/${session.id}`;
  };
  return { ...app, owner, newSession, path: await newSession() };
}

const MAX_SILENCE_MS = 30_000;

/** Returns the response to a stream's request over a socket. Reading fails after 30 s of silence. */
async function stream(t: TestContext, own: House, path: string, headers = {}): Promise<IncomingMessage> {
  const { server } = own.app.fastify;
  if (!server.listening) await own.app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  const request = get({
    host: "127.0.0.1",
    port,
    path: `/api/v1/cloud${path}`,
    headers: { authorization: `Bearer ${own.owner.token}`, ...headers },
    agent: false,
  });
  t.after(() => request.destroy());
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  const silent = new Error(`The stream of ${path} was silent for ${MAX_SILENCE_MS} ms.`);
  answer.setTimeout(MAX_SILENCE_MS, () => answer.destroy(silent));
  return answer;
}

/** Returns the texts of the first `count` messages in a stream. */
async function texts(answer: IncomingMessage, count: number): Promise<string[]> {
  let received = "";
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    received += chunk.toString();
    const data = received.split("\n").filter((line) => line.startsWith("data: ") && line.endsWith("}"));
    if (data.length >= count) return data.map((line) => JSON.parse(line.slice(6)).content[0].text);
  }
  throw new Error(`The stream ended after:\n${received}`);
}

describe("events", { timeout: 120_000 }, () => {
  test("send: returns the unprocessed events in order, and the log has them", async (t) => {
    const { owner, path } = await house(t);
    const reply = await owner.post(`${path}/events`, {
      events: [message("one"), { type: "user.interrupt" }, message("two")],
    });
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.body.data.map((event: Wire) => [event.type, event.processed_at]),
      [
        ["user.message", null],
        ["user.interrupt", null],
        ["user.message", null],
      ],
    );
    assert.match(reply.body.data[0].id, /^evt_[0-9a-z]{26}$/);
    assert.deepEqual((await owner.get(`${path}/events`)).body.data, reply.body.data);
  });

  test("send: one invalid event → none is stored", async (t) => {
    const { owner, path } = await house(t);
    const reply = await owner.post(`${path}/events`, { events: [message("one"), { type: "agent.message" }] });
    assert.equal(reply.status, 400);
    assert.equal(reply.body.error.param, "events[1].type");
    assert.equal((await owner.post(`${path}/events`, { events: [] })).status, 400);
    const many = Array.from({ length: 51 }, () => message("x"));
    assert.equal((await owner.post(`${path}/events`, { events: many })).status, 400);
    assert.deepEqual((await owner.get(`${path}/events`)).body.data, []);
  });

  test("send: archived session → 403; terminated session → 409", async (t) => {
    const { owner, path, newSession } = await house(t);
    await owner.post(`${path}/archive`);
    const archived = await owner.post(`${path}/events`, { events: [message("one")] });
    assert.deepEqual([archived.status, archived.body.error.type], [403, "permission_error"]);
    const other = await newSession();
    await owner.post(`${other}/terminate`);
    const terminated = await owner.post(`${other}/events`, { events: [message("one")] });
    assert.deepEqual([terminated.status, terminated.body.error.type], [409, "conflict_error"]);
  });

  test("list: either order pages in both directions", async (t) => {
    const { owner, path } = await house(t);
    await owner.made(`${path}/events`, { events: Array.from({ length: 10 }, (_, n) => message(`${n}`)) });
    const shown = (body: Wire) => body.data.map((event: Wire) => Number(event.content[0].text)).join(" ");
    for (const [order, whole] of [
      ["asc", "0 1 2 3 4 5 6 7 8 9"],
      ["desc", "9 8 7 6 5 4 3 2 1 0"],
    ] as const) {
      const list = async (query: string) =>
        (await owner.get(`${path}/events?order=${order}&limit=4${query}`)).body;
      const pages: Wire[] = [await list("")];
      while (pages.at(-1).next_page !== null) pages.push(await list(`&page=${pages.at(-1).next_page}`));
      assert.equal(pages.map(shown).join(" "), whole);
      assert.deepEqual(
        pages.map((page) => page.has_more),
        [true, true, false],
      );
      assert.deepEqual(await list(`&after_id=${pages[0].last_id}`), {
        ...pages[1],
        next_page: pages[1].next_page,
      });
      const before = await list(`&before_id=${pages[2].first_id}`);
      assert.equal(shown(before), shown(pages[1]));
      assert.equal(before.has_more, true);
      assert.equal(shown(await list(`&page=${before.next_page}`)), shown(pages[0]));
    }
  });

  test("list: filters by type and time", async (t) => {
    const { owner, path } = await house(t);
    const { data } = await owner.made(`${path}/events`, {
      events: [message("one"), { type: "user.interrupt" }],
    });
    const only = await owner.get(`${path}/events?types[]=user.interrupt`);
    assert.deepEqual(only.body.data, [data[1]]);
    const none = await owner.get(`${path}/events?created_at[gt]=${data[1].created_at}`);
    assert.deepEqual(none.body.data, []);
    const unknown = await owner.get(`${path}/events?types[]=nothing`);
    assert.equal(unknown.status, 400);
  });

  test("stream: starts at the end, the start, or after an event; the header precedes the query", async (t) => {
    const own = await house(t);
    const { data } = await own.owner.made(`${own.path}/events`, {
      events: [message("one"), message("two"), message("three")],
    });
    const tail = await stream(t, own, `${own.path}/events/stream`);
    await own.owner.made(`${own.path}/events`, { events: [message("four")] });
    assert.deepEqual(await texts(tail, 1), ["four"]);
    const whole = await stream(t, own, `${own.path}/events/stream?from=start`);
    assert.deepEqual(await texts(whole, 4), ["one", "two", "three", "four"]);
    const after = await stream(t, own, `${own.path}/events/stream?after_id=${data[0].id}`);
    assert.deepEqual(await texts(after, 3), ["two", "three", "four"]);
    const resumed = await stream(t, own, `${own.path}/events/stream?after_id=${data[0].id}`, {
      "last-event-id": data[1].id,
    });
    assert.equal(typeof resumed.headers["x-request-id"], "string");
    assert.deepEqual(await texts(resumed, 2), ["three", "four"]);
  });

  test("stream: a position that is not an event of the session → 400 with its param", async (t) => {
    const own = await house(t);
    const other = await own.newSession();
    const { data } = await own.owner.made(`${other}/events`, { events: [message("one")] });
    const absent = `evt_${"0".repeat(26)}`;
    for (const id of [data[0].id, absent, "evt_nonsense", "7"]) {
      const header = await own.owner.get(`${own.path}/events/stream`, { "last-event-id": id });
      assert.deepEqual([header.status, header.body.error.param], [400, "Last-Event-ID"]);
      const query = await own.owner.get(`${own.path}/events/stream?after_id=${id}`);
      assert.deepEqual([query.status, query.body.error.param], [400, "after_id"]);
    }
  });

  test("stream: an absent or foreign session → an error before the stream", async (t) => {
    const own = await house(t);
    const stranger = await own.caller({ email: "other@example.com", org: "other" });
    for (const path of [`${own.path}/events/stream`, `${own.path}/events`]) {
      assert.equal((await stranger.get(path)).status, 403);
    }
    assert.equal((await own.owner.get(`/sessions/sess_${"0".repeat(26)}/events/stream`)).status, 404);
  });

  test("stream: ends when the service stops", async (t) => {
    const own = await house(t);
    const answer = await stream(t, own, `${own.path}/events/stream`);
    const ended = once(answer, "end");
    answer.resume();
    await own.app.fastify.close();
    await ended;
  });
});
