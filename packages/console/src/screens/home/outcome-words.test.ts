import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "@berth/sdk";
import { LogWriter } from "../../../test-support/events.ts";
import { outcomeWords } from "./outcome-words.ts";

function words(write: (log: LogWriter) => void): string | null {
  const log = new LogWriter();
  write(log);
  return outcomeWords(log.events.toReversed());
}

const idle = (log: LogWriter, type: string, uses: readonly SessionEvent[] = []) =>
  log.add("session.status_idle", { stop_reason: { type, event_ids: uses.map(({ id }) => id) } });

test("what a session came to, in a line", () => {
  assert.equal(
    words((log) => {
      log.say("Before.");
      log.use("Bash", { command: "ls" });
      const uses = [log.use("Bash", { command: "npm test\necho more" }, "ask"), log.use("Write", {}, "ask")];
      idle(log, "requires_action", uses);
    }),
    "Bash: npm test and 1 more",
  );
  assert.equal(
    words((log) =>
      idle(log, "requires_action", [log.add("agent.custom_tool_use", { name: "ask", input: {} })]),
    ),
    "ask",
  );
  assert.equal(
    words((log) => {
      const fields = { name: "create", mcp_server_name: "issues", input: { number: 3, title: "A bug" } };
      idle(log, "requires_action", [log.add("agent.mcp_tool_use", fields)]);
    }),
    "issues · create: A bug",
  );
  assert.equal(
    words((log) => {
      log.say("\n---\n## **All** of *it* is `done`\nMore.");
      idle(log, "end_turn");
    }),
    "All of it is done",
  );
  assert.equal(
    words((log) => {
      log.say("I begin.");
      log.add("session.error", { error: { type: "model_error", message: "The key is wrong." } });
      idle(log, "retries_exhausted");
    }),
    "The key is wrong.",
  );
  assert.match(words((log) => idle(log, "max_turns")) ?? "", /limit/);
});

test("where the events do not tell, nothing is said", () => {
  assert.equal(outcomeWords([]), null);
  assert.equal(
    words((log) => idle(log, "requires_action", [{ id: "event_elsewhere" } as SessionEvent])),
    null,
  );
  assert.equal(
    words((log) => idle(log, "retries_exhausted")),
    null,
  );
  assert.equal(
    words((log) => log.say(" \n--\n")),
    null,
  );
});
