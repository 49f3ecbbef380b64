import assert from "node:assert/strict";
import { test } from "node:test";
import { LogWriter } from "../../../test-support/events.ts";
import { setupRuns, stateOf } from "./setup-runs.ts";

const failed = { type: "environment_error", message: "It ended with exit code 3.\nno such release" };

test("a run begins with the first wait and ends with the container", () => {
  const log = new LogWriter();
  log.add("session.environment_progress", { phase: "apt_packages", seconds: null });
  const [waiting] = setupRuns(log.events);
  assert.deepEqual(waiting?.steps, [{ phase: "apt_packages", seconds: null }]);
  assert.equal(waiting && stateOf(waiting), "building");
  log.add("session.environment_progress", { phase: "apt_packages", seconds: 4 });
  log.add("session.environment_progress", { phase: "setup_script", seconds: 2 });
  log.add("session.container_started", { seconds: 6.5 });
  const [run, ...others] = setupRuns(log.events);
  assert.deepEqual(run?.steps, [
    { phase: "apt_packages", seconds: 4 },
    { phase: "setup_script", seconds: 2 },
  ]);
  assert.equal(run?.started, 6.5);
  assert.equal(run && stateOf(run), "ready");
  assert.deepEqual(others, []);
});

test("a failure stays with its run, though the container starts", () => {
  const log = new LogWriter();
  log.add("session.environment_progress", { phase: "setup_script", seconds: null });
  log.add("session.environment_progress", { phase: "setup_script", seconds: 2 });
  log.add("session.error", { error: failed });
  log.add("session.container_started", { seconds: 3 });
  log.add("session.container_started", { seconds: 0.1, lowered_limits: { cpus: 1 } });
  const [first, second] = setupRuns(log.events);
  assert.deepEqual(first?.failures, [failed.message]);
  assert.equal(first && stateOf(first), "failed");
  assert.deepEqual(second?.failures, []);
  assert.deepEqual(second?.lowered, { cpus: 1 });
});

test("errors of the model or of a server are no failures of a setup", () => {
  const log = new LogWriter();
  log.add("session.error", { error: { type: "model_error", message: "Overloaded." } });
  assert.deepEqual(setupRuns(log.events), []);
});
