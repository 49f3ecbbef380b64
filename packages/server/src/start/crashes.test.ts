import assert from "node:assert/strict";
import { test } from "node:test";
import { Crashes } from "./crashes.ts";

test("a process that failed has crashed; one that was killed or asked to end has not, unless memory was short", () => {
  let kills = 3;
  const crashes = new Crashes(() => kills);
  crashes.exited({ pid: 1, signal: "SIGABRT" });
  crashes.exited({ pid: 2, signal: "SIGKILL" });
  crashes.exited({ pid: 3, signal: "SIGTERM" });
  crashes.exited({ pid: 4, signal: null });
  kills += 1;
  crashes.exited({ pid: 5, signal: "SIGKILL" });
  crashes.exited({ pid: 6, signal: "SIGKILL" });
  assert.deepEqual(crashes.pids, [1, 4, 5]);
});
