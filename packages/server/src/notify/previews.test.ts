import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type TestContext, test } from "node:test";
import type { PreviewPiece } from "@berth/agent";
import { newUuid } from "@berth/contract";
import { silentLog, testDatabase } from "../../test-support/database.ts";
import { Previews } from "./previews.ts";
import { openSessionHub } from "./session-hub.ts";

function piece(text: string, offset = 0, eventId = "evt_a", requestId = "evt_request"): PreviewPiece {
  return { requestId, eventId, type: "agent.message", offset, text };
}

/** A follower that assembles the text from the offsets of the pieces, which may arrive twice. */
function reader() {
  const arrived = new EventEmitter();
  const pieces: PreviewPiece[] = [];
  return {
    pieces,
    add(one: PreviewPiece) {
      pieces.push(one);
      arrived.emit("piece");
    },
    text: () => pieces.reduce((text, one) => text.slice(0, one.offset) + one.text, ""),
    async until(text: string): Promise<void> {
      const signal = AbortSignal.timeout(60_000);
      while (this.text() !== text) await once(arrived, "piece", { signal });
    },
  };
}

async function twoProcesses(t: TestContext) {
  const db = await testDatabase(t);
  const open = async () => {
    const hub = await openSessionHub({ db, log: silentLog });
    t.after(() => hub.close());
    return hub.previews;
  };
  return { runner: await open(), api: await open() };
}

test("previews: pieces of any content and length reach another process", async (t) => {
  const { runner, api } = await twoProcesses(t);
  const session = newUuid();
  const seen = reader();
  api.follow(session, seen.add);
  const text = `"\u0001\\ 'ä😀'`.repeat(2_000);
  runner.publish(session, piece(text.slice(0, 7)));
  await seen.until(text.slice(0, 7));
  runner.publish(session, piece(text.slice(7), 7));
  await seen.until(text);
  assert.ok(seen.pieces.length > 2);
});

test("follow: a late follower → the text of the current request from its start", async (t) => {
  const { runner, api } = await twoProcesses(t);
  const session = newUuid();
  const [first, late] = [reader(), reader()];
  api.follow(session, first.add);
  runner.publish(session, piece("abc"));
  await first.until("abc");
  api.follow(session, late.add);
  await late.until("abc");
  runner.publish(session, piece("d", 3));
  await Promise.all([first.until("abcd"), late.until("abcd")]);
  late.pieces.length = 0;
  runner.publish(session, piece("new", 0, "evt_b", "evt_next"));
  await late.until("new");
  assert.deepEqual([...new Set(late.pieces.map(({ eventId }) => eventId))], ["evt_b"]);
});

test("publish: no request → nothing is sent; with one, its pieces are batched", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: string[] = [];
  const previews = new Previews("here", (payloads) => sent.push(...payloads));
  previews.publish("s", piece("abc"));
  t.mock.timers.tick(1_000);
  assert.deepEqual(sent, []);
  previews.receive(JSON.stringify({ by: "there", want: "s" }));
  for (const [index, text] of [..."def"].entries()) previews.publish("s", piece(text, 3 + index));
  t.mock.timers.tick(1_000);
  assert.deepEqual(
    sent.map((payload) => JSON.parse(payload).piece.text),
    ["abcdef"],
  );
});

test("receive: other kinds of notifications → false; this process's own → ignored", () => {
  const seen = reader();
  const previews = new Previews("here", () => {});
  previews.follow("s", seen.add);
  assert.equal(previews.receive("sender,session"), false);
  assert.equal(previews.receive(JSON.stringify({ by: "here", session: "s", piece: piece("x") })), true);
  assert.deepEqual(seen.pieces, []);
  assert.equal(previews.receive(JSON.stringify({ by: "there", session: "s", piece: piece("x") })), true);
  assert.equal(seen.text(), "x");
});
