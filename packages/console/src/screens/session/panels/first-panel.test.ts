import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/sdk";
import { LogWriter } from "../../../../test-support/events.ts";
import { reduce } from "../log/reduce.ts";
import { EMPTY_VIEW } from "../log/view.ts";
import { firstPanel } from "./first-panel.ts";

const REPOSITORY = { type: "git_repository", url: "https://git.example.com/a" };
const FILE = { type: "file", file_id: "file_a" };

function panelOf(resources: object[], ...tools: string[]) {
  const log = new LogWriter();
  for (const tool of tools) log.result(log.use(tool).id, "");
  return firstPanel({ resources } as Pick<Session, "resources">, reduce(EMPTY_VIEW, log.events));
}

test("changes only where something can have changed; else what there is", () => {
  assert.equal(panelOf([]), "details");
  assert.equal(panelOf([FILE]), "resources");
  assert.equal(panelOf([REPOSITORY]), "resources");
  assert.equal(panelOf([REPOSITORY], "Read"), "workspace");
  assert.equal(panelOf([], "Bash"), "workspace");
  assert.equal(panelOf([FILE, REPOSITORY], "Read", "Edit"), "changes");
  const log = new LogWriter();
  log.use("Edit");
  assert.equal(firstPanel({ resources: [] }, reduce(EMPTY_VIEW, log.events)), "details", "it runs still");
});
