// The subject is the way from an API process to a runner and back; this test plays the runner.
import assert from "node:assert/strict";
import { once } from "node:events";
import { performServerHandshake } from "node:http2";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { PreviewLinks } from "@berth/api/app";
import { openSessionHub } from "@berth/store/notify";
import { LINK_REASON, LINK_TLS, type LinkAddress, linkKey } from "@berth/store/session-log";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { listenForLinks } from "./listen-for-links.ts";

const secretKey = Buffer.alloc(32, 7);

async function parts(t: TestContext, address: { host: string; port: number } | null) {
  const db = await testDatabase(t);
  const hub = await openSessionHub({ db, log: silentLog });
  const links = new PreviewLinks({ db, hub, secretKey });
  const listener = await listenForLinks(links, address);
  t.after(async () => {
    links.close();
    await listener.close();
    await hub.close();
  });
  const session = await seedSession(db.write, await seed(db.write));
  await db.write.query({
    text: "update sessions set lease_owner = 'a', lease_until = now() + interval '1 hour'",
  });
  /** Resolves with what the runner is asked for next. */
  const asked = () =>
    new Promise<{ linkId: string; addresses: LinkAddress[] }>((resolve, reject) => {
      const stop = hub.reads.onAsked(async (id) => {
        if (id !== session) return;
        stop();
        const { rows } = await db.write.query<{ request: string }>({
          text: "select request from workspace_reads",
        });
        if (rows[0] === undefined) reject(new Error("nothing was asked"));
        else resolve(JSON.parse(rows[0].request));
      });
    });
  return { db, links, session, asked };
}

async function dial(address: LinkAddress, linkId: string, psk: Buffer): Promise<TLSSocket> {
  const socket = connect({
    ...LINK_TLS,
    ...("name" in address ? { path: `\0${address.name}` } : address),
    pskCallback: () => ({ identity: linkId, psk }),
    checkServerIdentity: () => undefined,
  });
  await once(socket, "secureConnect");
  return socket;
}

test("links: by the setting's address and on this machine, encrypted, and only with the key", async (t) => {
  const { links, session, asked } = await parts(t, { host: "127.0.0.1", port: 0 });
  for (const at of [0, 1]) {
    const asking = asked();
    const connecting = links.connect(session, 5173);
    const { linkId, addresses } = await asking;
    const [own = { name: "" }, other = { name: "" }] = addresses;
    assert.deepEqual(["name" in own, "host" in other && other.host], [true, "127.0.0.1"]);
    const address = at === 0 ? own : other;
    for (const [id, key] of [
      [linkId, Buffer.alloc(32)],
      ["another", linkKey(secretKey, "another")],
    ] as const)
      await assert.rejects(dial(address, id, key));
    const socket = await dial(address, linkId, linkKey(secretKey, linkId));
    const runner = performServerHandshake(socket);
    runner.on("stream", (stream, headers) => {
      if (headers[":path"] === "/80") {
        stream.respond({ ":status": 502, [LINK_REASON]: "not_listening" }, { endStream: true });
      } else {
        stream.respond({ ":status": 200 });
        stream.pipe(stream);
      }
    });
    const connection = await connecting;
    assert.ok(connection.ok);
    connection.stream.end("echo");
    assert.equal(await text(connection.stream), "echo");
    // The link serves other ports, and is good for one runner.
    assert.deepEqual(await links.connect(session, 80), { ok: false, reason: "not_listening" });
    await assert.rejects(dial(address, linkId, linkKey(secretKey, linkId)));
    const closed = once(runner, "close");
    runner.destroy();
    await closed;
  }
});

test("links: a session that no runner holds is asleep, and one whose runner reaches nothing is unreachable", async (t) => {
  const { db, links, session, asked } = await parts(t, null);
  const asking = asked();
  const connecting = links.connect(session, 80);
  assert.equal((await asking).addresses.length, 1);
  const answer = JSON.stringify({ ok: false, reason: "unreachable" });
  await db.write.query({
    text: "update workspace_reads set answered_at = now(), answer = $1",
    values: [answer],
  });
  assert.deepEqual(await connecting, { ok: false, reason: "unreachable" });
  await db.write.query({ text: "update sessions set lease_owner = null, lease_until = null" });
  assert.deepEqual(await links.connect(session, 80), { ok: false, reason: "asleep" });
  const { rows } = await db.write.query({ text: "select from workspace_reads" });
  assert.equal(rows.length, 0);
});
