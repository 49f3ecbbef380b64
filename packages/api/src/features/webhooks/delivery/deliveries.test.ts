import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { formatId, MAX_WEBHOOK_FAILURES, parseId } from "@berth/contract";
import { createGuardedFetch, type GuardedFetchOptions } from "@berth/egress";
import { openSessionHub } from "@berth/store/notify";
import { SecretBox } from "@berth/store/secrets";
import { pino } from "pino";
import { type Caller, testApp, type Wire } from "../../../../test-support/http.ts";
import { Deliveries, type DeliveryDeps, LEASE_MS } from "./deliveries.ts";
import { claimDeliveries } from "./delivery-store.ts";

const log = pino({ level: "silent" });

interface House {
  owner: Caller;
  db: Wire;
  /** Makes a webhook of all vaults' creations. */
  hook(url: string): Promise<Wire>;
  /** Makes as many vaults, of each of which the webhooks hear. */
  happen(count?: number): Promise<void>;
  /** Starts to deliver. */
  deliver(deps?: Partial<DeliveryDeps>): Deliveries;
  rows(webhook: Wire): Promise<Wire[]>;
  /** Resolves with the deliveries of a webhook once all match. */
  until(webhook: Wire, matches: (row: Wire) => boolean): Promise<Wire[]>;
}

async function house(t: TestContext, fetch: Partial<GuardedFetchOptions> = {}): Promise<House> {
  const secretKey = randomBytes(32);
  const { db, caller } = await testApp(t, { secretKey, egressAllowPrivate: ["127.0.0.1"] });
  const owner = await caller();
  const hub = await openSessionHub({ db, log });
  t.after(() => hub.close());
  const rows = async ({ id }: Wire): Promise<Wire[]> => {
    const text = "select * from webhook_deliveries where webhook_id = $1 order by id";
    return (await db.read.query<Wire>({ text, values: [parseId("webhook", id)] })).rows;
  };
  return {
    ...{ owner, db, rows },
    hook: (url) => owner.made("/webhooks", { url, enabled_events: ["vault.created"] }),
    async happen(count = 1) {
      for (let made = 0; made < count; made++) await owner.made("/vaults", { display_name: "v" });
    },
    deliver(deps = {}) {
      const deliveries = new Deliveries({
        ...{ db, hub, log, secrets: new SecretBox(secretKey), relay: null, consoleUrl: null },
        fetch: createGuardedFetch({ allowPrivate: ["127.0.0.1"], ...fetch }),
        ...deps,
      });
      deliveries.start();
      t.after(() => deliveries.close());
      return deliveries;
    },
    async until(webhook, matches) {
      for (;;) {
        const all = await rows(webhook);
        if (all.length > 0 && all.every(matches)) return all;
        await pause(10);
      }
    },
  };
}

/** Starts an HTTP receiver. Returns its address, and the ids of the events that came. */
async function receiver(
  t: TestContext,
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end(),
  host = "127.0.0.1",
  port = 0,
) {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    ids.push(String(request.headers["webhook-id"]));
    request.resume().on("end", () => answer(response));
  });
  server.listen(port, host);
  await once(server, "listening");
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://${host}:${own}/`, port: own, ids };
}

/** Starts a receiver that speaks no proper HTTP. */
async function rawReceiver(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("hostile receivers: each is a failed try with its reason, and no other harm", async (t) => {
  const { hook, happen, deliver, until } = await house(t);
  const inside = await receiver(t);
  const redirecting = await receiver(t, (response) =>
    response.writeHead(307, { location: inside.url }).end(),
  );
  const cases: [string, number | null, RegExp][] = [
    [await rawReceiver(t, () => undefined), null, /did not answer within 15 seconds/],
    [await rawReceiver(t, (socket) => socket.resetAndDestroy()), null, /connection to the receiver failed/],
    [
      await rawReceiver(t, (socket) => socket.end("nonsense\r\n\r\n")),
      null,
      /connection to the receiver failed/,
    ],
    [
      await rawReceiver(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}`)),
      null,
      /connection to the receiver failed/,
    ],
    [await rawReceiver(t, (socket) => socket.end("HTTP/1.1 999 What\r\n\r\n")), null, /failed/],
    [redirecting.url, 307, /a redirect, which is not followed/],
    ["http://127.0.0.1:1/", null, /connection to the receiver failed \(ECONNREFUSED\)/],
  ];
  const hooks = await Promise.all(
    cases.map(async ([url, status, error]) => ({ webhook: await hook(url), status, error })),
  );
  await happen();
  deliver({ timeoutMs: 1_000 });
  for (const { webhook, status, error } of hooks) {
    const [row] = await until(webhook, (one) => one.error !== null);
    assert.match(row?.error, error);
    assert.deepEqual([row?.status, row?.response_status], ["pending", status]);
  }
  assert.deepEqual(inside.ids, [], "nobody was asked in its place");
});

test("a receiver that never ends its answer: delivered by its status, and the connection ends", async (t) => {
  const { hook, happen, deliver, until } = await house(t);
  const ended = Promise.withResolvers<void>();
  const piece = Buffer.alloc(65_536);
  const url = await rawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n");
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more).on("close", () => ended.resolve());
    more();
  });
  const webhook = await hook(url);
  await happen();
  deliver();
  const [row] = await until(webhook, ({ status }) => status === "delivered");
  assert.deepEqual([row?.attempts, row?.response_status], [1, 200]);
  await ended.promise;
});

test("a name that resolves to another address at the second look: the checked one is dialled, and no other", async (t) => {
  const looked: string[] = [];
  const answers = [["127.0.0.2"], ["127.0.0.3"], ["203.0.113.9", "127.0.0.3"]];
  const { db, hook, happen, deliver, until } = await house(t, {
    allowPrivate: ["127.0.0.2"],
    resolve: async (name) => {
      looked.push(name);
      return answers[looked.length - 1] ?? [];
    },
  });
  const outside = await receiver(t, undefined, "127.0.0.2");
  const inside = await receiver(t, undefined, "127.0.0.3", outside.port);
  const webhook = await hook("https://rebind.example/");
  const url = `http://rebind.example:${outside.port}/`;
  await db.write.query({ text: "update webhooks set url = $1", values: [url] });
  deliver();
  await happen();
  await until(webhook, ({ status }) => status === "delivered");
  assert.deepEqual([looked, outside.ids.length], [["rebind.example"], 1]);
  for (const _ of [1, 2]) {
    await db.write.query({ text: "delete from webhook_deliveries" });
    await happen();
    const [row] = await until(webhook, ({ error }) => error !== null);
    assert.equal(row?.error, "The host's address is not allowed.");
    await db.write.query({ text: "update webhook_deliveries set status = 'failed', due_at = null" });
  }
  assert.deepEqual([outside.ids.length, inside.ids.length], [1, 0]);
});

test("receivers that hang hold up no other, and take little room once they are known", async (t) => {
  const { hook, happen, deliver, until, rows } = await house(t);
  const hanging = await Promise.all(
    [1, 2, 3].map(async () => await hook(await rawReceiver(t, () => undefined))),
  );
  const good = await receiver(t);
  const webhook = await hook(good.url);
  deliver({ timeoutMs: 120_000 });
  await happen(100);
  await until(webhook, ({ status }) => status === "delivered");
  assert.equal(new Set(good.ids).size, 100);
  for (const one of hanging) {
    const tried = (await rows(one)).filter(({ attempts }) => attempts > 0);
    assert.ok(tried.length <= 32, `${tried.length} of one receiver are under way`);
    assert.ok(tried.every(({ error }) => error === null));
  }
});

test("20 events in a row that are missed disable a webhook; one that is delivered begins the count anew", async (t) => {
  const { owner, db, hook, happen, deliver, until, rows } = await house(t);
  let status = 500;
  const target = await receiver(t, (response) => response.writeHead(status).end());
  const webhook = await hook(target.url);
  const state = async () => (await owner.get(`/webhooks/${webhook.id}`)).body;
  /** Tries all that is pending once more, and resolves when that is stored. */
  const again = async () => {
    const before = new Map((await rows(webhook)).map(({ id, attempts }) => [id, attempts]));
    await db.write.query({ text: "update webhook_deliveries set due_at = now() where status = 'pending'" });
    await until(webhook, (row) => row.status !== "pending" || isStored(row, before.get(row.id)));
  };
  const isStored = (row: Wire, before = 0) =>
    row.attempts > before && row.due_at - row.attempted_at !== LEASE_MS;
  deliver();
  await happen(MAX_WEBHOOK_FAILURES - 1);
  await until(webhook, (row) => isStored(row));
  assert.equal((await state()).state, "enabled", "first tries do not count");
  await again();
  assert.equal((await state()).state, "enabled", "19 were missed");
  status = 200;
  await happen();
  while ((await rows(webhook)).at(-1)?.status !== "delivered") await pause(10);
  status = 500;
  await happen(MAX_WEBHOOK_FAILURES - 1);
  await until(webhook, (row) => row.status !== "pending" || isStored(row));
  await again();
  assert.equal(
    (await state()).state,
    "enabled",
    "19 after one that was delivered, and third tries do not count",
  );
  await happen();
  await until(webhook, (row) => row.status !== "pending" || isStored(row));
  await db.write.query({
    text: "update webhook_deliveries set due_at = now() where attempts = 1 and status = 'pending'",
  });
  while ((await state()).state === "enabled") await pause(10);
  assert.equal((await state()).disabled_reason, "failing");
  const before = (await rows(webhook)).length;
  await happen();
  assert.equal((await rows(webhook)).length, before, "nothing more is kept for it");
});

test("many processes: each event is delivered once", async (t) => {
  const { hook, happen, deliver, until } = await house(t);
  const target = await receiver(t);
  const webhook = await hook(target.url);
  for (const _ of [1, 2, 3]) deliver();
  await happen(60);
  const rows = await until(webhook, ({ status }) => status === "delivered");
  assert.deepEqual(target.ids.toSorted(), rows.map((row) => formatId("event", row.event_id)).toSorted());
  assert.ok(rows.every(({ attempts }) => attempts === 1));
});

test("a process that dies with claimed deliveries: another tries them once the claim has ended, under the same id", async (t) => {
  const { db, hook, happen, deliver, until } = await house(t);
  const target = await receiver(t);
  const webhook = await hook(target.url);
  await happen(3);
  const claim = { limit: 64, room: 2, rooms: new Map<string, number>(), leaseMs: 60_000 };
  assert.equal((await claimDeliveries(db.write, claim)).length, 2, "as many as there is room for");
  assert.equal((await claimDeliveries(db.write, { ...claim, room: 0 })).length, 0);
  assert.equal((await claimDeliveries(db.write, claim)).length, 1);
  assert.equal((await claimDeliveries(db.write, claim)).length, 0, "all are claimed");
  await db.write.query({ text: "update webhook_deliveries set due_at = now()" });
  deliver();
  const rows = await until(webhook, ({ status }) => status === "delivered");
  assert.ok(rows.every(({ attempts }) => attempts === 2));
  assert.deepEqual(target.ids.toSorted(), rows.map((row) => formatId("event", row.event_id)).toSorted());
});

test("a process that stops: a try without an answer is cut off, and stays to be tried", async (t) => {
  const { hook, happen, deliver, rows } = await house(t);
  const reached = Promise.withResolvers<void>();
  const webhook = await hook(await rawReceiver(t, () => reached.resolve()));
  await happen();
  const deliveries = deliver();
  await reached.promise;
  await deliveries.close();
  const [row] = await rows(webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.error], ["pending", 1, null]);
  assert.ok(row?.due_at > row?.attempted_at);
});
