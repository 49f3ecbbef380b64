import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type TestContext, test } from "node:test";
import type { PreviewPiece } from "@berth/agent";
import { newUuid } from "@berth/contract";
import { silentLog, testDatabase } from "../../test-support/database.ts";
import { createPreviews } from "./previews.ts";
import { openSessionHub } from "./session-hub.ts";

function piece(text: string, offset = 0, eventId = "evt_a", requestId = "evt_request"): PreviewPiece {
  return { requestId, eventId, type: "agent.message", offset, text };
}

/** Puts pieces together as their offsets say, as often as they come. */
function reader() {
  const told = new EventEmitter();
  const pieces: PreviewPiece[] = [];
  return {
    pieces,
    take(one: PreviewPiece) {
      pieces.push(one);
      told.emit("piece");
    },
    text: () => pieces.reduce((text, one) => text.slice(0, one.offset) + one.text, ""),
    async until(text: string): Promise<void> {
      const signal = AbortSignal.timeout(60_000);
      while (this.text() !== text) await once(told, "piece", { signal });
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
  api.follow(session, seen.take);
  const text = `"\u0001\\ 'ä😀'`.repeat(2_000);
  runner.show(session, piece(text.slice(0, 7)));
  await seen.until(text.slice(0, 7));
  runner.show(session, piece(text.slice(7), 7));
  await seen.until(text);
  assert.ok(seen.pieces.length > 2);
});

test("follow: a late follower → the text of the current request from its start", async (t) => {
  const { runner, api } = await twoProcesses(t);
  const session = newUuid();
  const [first, late] = [reader(), reader()];
  api.follow(session, first.take);
  runner.show(session, piece("abc"));
  await first.until("abc");
  api.follow(session, late.take);
  await late.until("abc");
  runner.show(session, piece("d", 3));
  await Promise.all([first.until("abcd"), late.until("abcd")]);
  late.pieces.length = 0;
  runner.show(session, piece("new", 0, "evt_b", "evt_next"));
  await late.until("new");
  assert.deepEqual([...new Set(late.pieces.map(({ eventId }) => eventId))], ["evt_b"]);
});

test("show: no follower → nothing is sent; with one, pieces are batched", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: string[] = [];
  const previews = createPreviews("here", (notices) => sent.push(...notices));
  previews.show("s", piece("abc"));
  t.mock.timers.tick(1_000);
  assert.deepEqual(sent, []);
  previews.read(JSON.stringify({ by: "there", want: "s" }));
  for (const [place, text] of [..."def"].entries()) previews.show("s", piece(text, 3 + place));
  t.mock.timers.tick(1_000);
  assert.deepEqual(
    sent.map((notice) => JSON.parse(notice).piece.text),
    ["abcdef"],
  );
});

test("read: other kinds of notifications → false; this process's own → ignored", () => {
  const seen = reader();
  const previews = createPreviews("here", () => {});
  previews.follow("s", seen.take);
  assert.equal(previews.read("sender,session"), false);
  assert.equal(previews.read(JSON.stringify({ by: "here", session: "s", piece: piece("x") })), true);
  assert.deepEqual(seen.pieces, []);
  assert.equal(previews.read(JSON.stringify({ by: "there", session: "s", piece: piece("x") })), true);
  assert.equal(seen.text(), "x");
});
