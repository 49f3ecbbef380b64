import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { SessionEvent, StreamFrame } from "@berth/sdk";
import { logOf, repository, says, usage } from "../../test-support/session.ts";
import type { Output } from "../terminal/palette.ts";
import { previewsFor, renderEvents } from "./render-events.ts";

const begun = { type: "span.model_request_start" as const, model: "rehearsal/steps" };
const idle = { type: "session.status_idle" as const, stop_reason: { type: "end_turn" as const } };

/** Returns the pieces of an event, by the id that `logOf` assigns. */
function written(id: string, ...pieces: string[]): StreamFrame[] {
  return [
    { type: "event_start", event: { type: "agent.message", id } },
    ...pieces.map(
      (text): StreamFrame => ({
        type: "event_delta",
        event_id: id,
        delta: { type: "content_delta", index: 0, content: { type: "text", text } },
      }),
    ),
  ];
}

/** Returns the content of the terminal after each frame. */
async function screens(frames: StreamFrame[]): Promise<string[]> {
  let bytes = "";
  const output: Output = new Writable({
    write(chunk, _encoding, done) {
      bytes += chunk;
      done();
    },
  });
  Object.assign(output, { isTTY: true, columns: 80 });
  const states: string[] = [];
  async function* noted() {
    for (const frame of frames) {
      yield frame;
      states.push(onScreen(bytes));
    }
  }
  await renderEvents(noted(), output, { resources: [repository] });
  return [...states, onScreen(bytes)];
}

function onScreen(bytes: string): string {
  const lines = [""];
  for (const [part] of bytes.matchAll(/\n|\u001b\[1A|\r\u001b\[2K|[^\n\r\u001b]+|[\r\u001b]/g)) {
    if (part === "\n") lines.push("");
    else if (part === "\u001b[1A") lines.pop();
    else if (part === "\r\u001b[2K") lines[lines.length - 1] = "";
    else lines[lines.length - 1] += part;
  }
  return stripVTControlCharacters(lines.join("\n"));
}

/** Returns the frames of a response: previews between the start of the request and the stored events. */
function answer(previews: StreamFrame[], ...stored: Parameters<typeof logOf>): StreamFrame[] {
  const [start, ...rest] = logOf(begun, ...stored) as [SessionEvent, ...SessionEvent[]];
  return [start, ...previews, ...rest];
}

test("a message is printed while it is written, and only once", async () => {
  const shown = await screens(
    answer(
      written("evt_1", "Hello", ", you.\n", "\nBye", "."),
      says("Hello, you.\n\nBye."),
      usage(0, 10, 2),
      idle,
    ),
  );
  assert.deepEqual(shown.slice(1, 7), [
    "thinking",
    "Hello",
    "Hello, you.",
    "Hello, you.\n\nBye",
    "Hello, you.\n\nBye.",
    "Hello, you.\n\nBye.\nthinking",
  ]);
  assert.equal(shown.at(-1), "Hello, you.\n\nBye.\n\ndone · 10 tokens in, 2 out\n");
});

test("other events wait for the end of the message", async () => {
  const ready = { type: "session.container_started" as const, seconds: 0.2 };
  const [start, sandbox, message, end] = logOf(begun, ready, says("One two"), idle) as SessionEvent[];
  assert.ok(start && sandbox && message && end);
  const [first, one, two] = written("evt_2", "One", " two") as [StreamFrame, StreamFrame, StreamFrame];
  const shown = await screens([start, first, one, sandbox, two, message, end]);
  assert.equal(shown.at(-1), "One two\n\nsandbox ready · 0.2 s\n\ndone\n");
});

test("several messages of one response are separated", async () => {
  const previews = [...written("evt_1", "One"), ...written("evt_2", "Two")];
  const shown = await screens(answer(previews, says("One"), says("Two"), idle));
  assert.equal(shown.at(-1), "One\n\nTwo\n\ndone\n");
});

test("a text that is not stored is marked as void", async () => {
  const failed = { ...usage(0, 1, 1), is_error: true };
  const shown = await screens(answer(written("evt_9", "Half a"), failed, idle));
  assert.match(shown.at(-1) ?? "", /^Half a\n\ncut off: the text above is not part of the session\n\ndone/);
});

test("after a reconnection the text continues, and lost pieces come with the stored message", async () => {
  const again = [...written("evt_1", "One ", "two"), ...written("evt_1", "One ", "two three")];
  assert.equal((await screens(answer(again, says("One two three"), idle))).at(-1), "One two three\n\ndone\n");
  const lost = written("evt_1", "First.\nSec", "line.");
  const shown = await screens(answer(lost, says("First.\nSecond\nline."), idle));
  assert.equal(shown.at(-1), "First.\nSecline.\nSecond\nline.\n\ndone\n");
});

test("an escape sequence in pieces has no effect", async () => {
  const pieces = ["a\u001b", "]0;title", "\u0007b\u001b[2", "Jc 10%", "\r20%\n", "  end\u202e \n\n"];
  const shown = await screens(answer(written("evt_1", ...pieces), says(pieces.join("")), idle));
  assert.doesNotMatch(shown.join(""), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|title/);
  assert.match(shown.at(-1) ?? "", /20%\n {2}end\n\ndone\n$/);
});

test("previewsFor: only a terminal requests previews", () => {
  assert.deepEqual(previewsFor(new Writable()), []);
  assert.deepEqual(previewsFor(Object.assign(new Writable(), { isTTY: true })), [
    "agent.message",
    "agent.tool_output",
  ]);
});

const command = {
  type: "agent.tool_use" as const,
  name: "Bash",
  input: { command: "make" },
  evaluated_permission: "allow" as const,
};

function printed(call: string, offset: number, text: string): StreamFrame {
  return { type: "agent.tool_output", tool_use_id: call, offset, text };
}

function result(call: string, text: string) {
  const content = [{ type: "text" as const, text }];
  return { type: "agent.tool_result" as const, tool_use_id: call, content, is_error: false };
}

test("what a command prints is shown while it runs, and its result in its place", async () => {
  const [call, ended, end] = logOf(command, result("evt_0", "one\ntwo\nthree"), idle) as SessionEvent[];
  assert.ok(call && ended && end);
  const shown = await screens([
    call,
    printed("evt_0", 0, "one\ntw"),
    printed("evt_0", 0, "one\ntw"),
    printed("evt_0", 6, "o\n"),
    printed("evt_0", 90, "\u001b[31mthree\u001b[0m\r\n"),
    ended,
    end,
  ]);
  assert.deepEqual(shown.slice(1, 5), [
    "  │ one\n  │ tw\nBash  make",
    "  │ one\n  │ tw\nBash  make",
    "  │ one\n  │ two\nBash  make",
    "  │ one\n  │ two\n  │ …\n  │ three\nBash  make",
  ]);
  assert.equal(shown.at(-1), "Bash  make\n  │ one\n  │ two\n  │ three\n\ndone\n");
});

test("of two commands side by side, what was printed last is shown; one that began before the stream did, too", async () => {
  const other = { ...command, input: { command: "test" } };
  const log = logOf(command, other, result("evt_0", "a"), result("evt_1", "b"), idle) as SessionEvent[];
  const [one, two, first, second, end] = log;
  assert.ok(one && two && first && second && end);
  const shown = await screens([
    printed("evt_0", 500, "before\n"),
    one,
    two,
    printed("evt_1", 0, "b"),
    printed("evt_0", 507, "a"),
    first,
    second,
    end,
  ]);
  assert.equal(shown[0], "  │ …\n  │ before\nrunning a command");
  assert.equal(shown[3], "  │ b\nBash  make and 1 more");
  assert.equal(shown[4], "  │ …\n  │ before\n  │ a\nBash  make and 1 more");
  assert.equal(shown.at(-1), "Bash  make\n  │ a\n\nBash  test\n  │ b\n\ndone\n");
});
