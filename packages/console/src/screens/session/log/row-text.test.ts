import assert from "node:assert/strict";
import { test } from "node:test";
import { LogWriter } from "../../../../test-support/events.ts";
import { reduce } from "./reduce.ts";
import { findRows } from "./row-text.ts";
import { EMPTY_VIEW } from "./view.ts";

test("messages, commands, outputs, errors and hosts are found, whatever their case", () => {
  const log = new LogWriter();
  log.say("Fix the Parser", "user.message");
  const use = log.use("Bash", { command: "npm run PARSE" });
  log.result(use.id, "parsed 3 files");
  log.add("session.egress_denied", { host: "parser.example", port: 443, reason: "not_allowed" });
  log.add("session.error", {
    error: { type: "sandbox_error", message: "no parser", retry_status: { type: "terminal" } },
  });
  const { rows } = reduce(EMPTY_VIEW, log.events);
  assert.deepEqual(findRows(rows, "pars"), [0, 1, 2, 3]);
  assert.deepEqual(findRows(rows, "3 FILES"), [1]);
  assert.deepEqual(findRows(rows, "  "), []);
});
