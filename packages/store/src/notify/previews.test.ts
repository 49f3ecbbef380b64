import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type TestContext, test } from "node:test";
import type { PreviewPiece } from "@berth/agent";
import { newUuid } from "@berth/contract";
import { silentLog, testDatabase } from "../../test-support/database.ts";
import { type Notification, previewChannel } from "./channels.ts";
import type { LivePiece } from "./preview-piece.ts";
import { type PreviewChannels, Previews } from "./previews.ts";
import { openSessionHub } from "./session-hub.ts";
import type { LiveOutput } from "./tool-outputs.ts";

const SESSION = newUuid();
const NO_CHANNELS: PreviewChannels = {
  send: () => undefined,
  listen: async () => undefined,
  unlisten: () => undefined,
};

function piece(text: string, offset = 0, eventId = "evt_a", requestId = "evt_request"): PreviewPiece {
  return { requestId, eventId, type: "agent.message", offset, text };
}

/** A follower that assembles the text from the offsets of the pieces, which may arrive twice. */
function reader() {
  const arrived = new EventEmitter();
  const pieces: LivePiece[] = [];
  return {
    pieces,
    add(one: LivePiece) {
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
  assert.deepEqual([...new Set(late.pieces.map((one) => ("eventId" in one ? one.eventId : "")))], ["evt_b"]);
});

test("publish: no request → nothing is sent; with one, its pieces are batched", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: Notification[] = [];
  const previews = new Previews("here", {
    ...NO_CHANNELS,
    send: (notifications) => void sent.push(...notifications),
  });
  previews.publish(SESSION, piece("abc"));
  t.mock.timers.tick(1_000);
  assert.deepEqual(sent, []);
  previews.receive(JSON.stringify({ by: "there", want: SESSION, on: "previews" }));
  for (const [index, text] of [..."def"].entries()) previews.publish(SESSION, piece(text, 3 + index));
  t.mock.timers.tick(1_000);
  assert.deepEqual(
    sent.map(({ channel, payload }) => [channel, JSON.parse(payload).piece.text]),
    [["previews", "abcdef"]],
  );
});

test("receive: other kinds of notifications → false; this process's own → ignored", () => {
  const seen = reader();
  const previews = new Previews("here", NO_CHANNELS);
  previews.follow(SESSION, seen.add);
  const told = (by: string) => JSON.stringify({ by, session: SESSION, piece: piece("x") });
  assert.equal(previews.receive("sender,session"), false);
  assert.equal(previews.receive(told("here")), true);
  assert.deepEqual(seen.pieces, []);
  assert.equal(previews.receive(told("there")), true);
  assert.equal(seen.text(), "x");
});

test("follow: listens on the channel of the session alone, and only while somebody follows one of it", async () => {
  const calls: string[] = [];
  const previews = new Previews("here", {
    ...NO_CHANNELS,
    async listen(channel) {
      calls.push(`+${channel}`);
    },
    unlisten: (channel) => void calls.push(`-${channel}`),
  });
  const channel = previewChannel(SESSION);
  const unfollow = [1, 2].map(() => previews.follow(SESSION, () => undefined));
  unfollow[0]?.();
  unfollow[0]?.();
  assert.deepEqual(calls, [`+${channel}`, `+${channel}`]);
  unfollow[1]?.();
  assert.deepEqual(calls.at(-1), `-${channel}`);
});

/** Creates a call that prints these words, one at a time. */
function call(toolUseId: string, ...words: string[]): LiveOutput {
  let [taken, text] = [0, ""];
  return {
    toolUseId,
    take(again) {
      const offset = text.length;
      const fresh = words[taken] ?? "";
      taken += 1;
      text += fresh;
      if (again) return { offset: 0, text };
      return fresh === "" ? null : { offset, text: fresh };
    },
  };
}

test("what calls print reaches those who asked for it in another process, late ones with what came before", async (t) => {
  const { runner, api } = await twoProcesses(t);
  const session = newUuid();
  const [first, late, plain] = [reader(), reader(), reader()];
  api.follow(session, plain.add);
  api.follow(session, first.add, true);
  const end = runner.beginOutput(session, call("evt_u", "a😀".repeat(1_500), "second"));
  await first.until("a😀".repeat(1_500));
  assert.ok(first.pieces.length > 3, "in pieces that fit a payload");
  assert.ok(first.pieces.every(({ text }) => text.isWellFormed()));
  api.follow(session, late.add, true);
  await Promise.all([
    late.until(`${"a😀".repeat(1_500)}second`),
    first.until(`${"a😀".repeat(1_500)}second`),
  ]);
  end();
  assert.ok(first.pieces.every(({ type }) => type === "agent.tool_output"));
});

test("what calls print: without a request for it nothing is taken, with one a few times a second", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: Notification[] = [];
  const channels = {
    ...NO_CHANNELS,
    send: (notifications: readonly Notification[]) => void sent.push(...notifications),
  };
  const previews = new Previews("here", channels);
  let takes = 0;
  const flood: LiveOutput = {
    toolUseId: "evt_u",
    take() {
      takes += 1;
      return { offset: takes, text: "x" };
    },
  };
  const end = previews.beginOutput(SESSION, flood);
  const print = () => {
    for (let count = 0; count < 1_000; count++) previews.outputChanged(SESSION);
    t.mock.timers.tick(250);
  };
  previews.receive(JSON.stringify({ by: "there", want: SESSION, on: "text" }));
  print();
  assert.equal(takes, 0);
  previews.receive(JSON.stringify({ by: "there", want: SESSION, on: "output", output: true }));
  print();
  print();
  assert.equal(takes, 2);
  assert.deepEqual([...new Set(sent.map(({ channel }) => channel))], ["output"]);
  end();
  print();
  assert.equal(takes, 2);
});
