import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/sdk";
import { boundsOf, followInput, followState, placeOf } from "./follow-form.ts";

const follow: NonNullable<Session["follow"]> = {
  ...{ pull_request: true, max_attempts: 3, conflicts: "rebase", status: "watching", attempts: 1 },
  ...{ max_list_cost: { amount: "250", currency: "USD" }, followed: null, stopped_reason: null, error: null },
};

test("the bounds that are shown are those that are sent", () => {
  assert.deepEqual(boundsOf(follow), { attempts: "3", cost: "2.5", conflicts: "rebase" });
  const { pull_request, max_attempts, max_list_cost, conflicts } = follow;
  assert.deepEqual(followInput(boundsOf(follow)), { pull_request, max_attempts, max_list_cost, conflicts });
  assert.deepEqual(followInput(boundsOf(null)), { pull_request: true, conflicts: "merge" });
  assert.equal(followInput({ ...boundsOf(null), attempts: "many" }).max_attempts, -1);
  const cost = ["follow.max_list_cost", "follow.max_list_cost.amount"];
  assert.deepEqual(cost.map(placeOf), ["cost", "cost"]);
  assert.deepEqual(["follow.max_attempts", "follow"].map(placeOf), ["attempts", ""]);
});

test("how far a follow is", () => {
  assert.equal(followState(follow), "Watching. The agent was told 1 of 3 times, up to $2.50.");
  const waiting = { ...follow, status: "waiting" as const, max_list_cost: null, attempts: 0 };
  assert.equal(followState(waiting), "Waiting for an open pull request. The agent was told 0 of 3 times.");
  const stopped_reason = { type: "person_pushed" as const, message: "Somebody else pushed." };
  assert.equal(
    followState({ ...follow, status: "stopped", stopped_reason }),
    "Stopped. Somebody else pushed.",
  );
});
