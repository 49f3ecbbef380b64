import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@berth/contract";
import { standingOf } from "./standing.ts";

type Given = Pick<Session, "status" | "archived_at" | "set_aside" | "last_turn" | "resources">;

const RESTING: Given = {
  status: "idle",
  archived_at: null,
  set_aside: null,
  last_turn: null,
  resources: [],
};

function standing(change: Partial<Given>) {
  return standingOf({ ...RESTING, ...change });
}

test("what a session does now comes before what its last turn came to", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const last_turn = { outcome: "refusal", ended_at: at } as const;
  const resource = { type: "hosted_repository", url: "https://git.example.com/a/b" };
  const resources = [{ ...resource, error: { message: "No.", failed_at: at } }] as Session["resources"];
  assert.equal(standing({}), "none");
  assert.equal(standing({ last_turn }), "refusal");
  assert.equal(standing({ last_turn, status: "running" }), "running");
  assert.equal(standing({ last_turn, status: "terminated" }), "terminated");
  assert.equal(standing({ last_turn, status: "terminated", archived_at: at }), "archived");
  assert.equal(standing({ resources }), "repository_failed");
  assert.equal(
    standing({ resources, last_turn: { ...last_turn, outcome: "end_turn" } }),
    "repository_failed",
  );
  assert.equal(standing({ resources, last_turn }), "refusal", "worse");
  assert.equal(
    standing({ resources, last_turn: { ...last_turn, outcome: "requires_action" } }),
    "requires_action",
  );
  assert.equal(standing({ resources, status: "running" }), "running");
  const set_aside = { since: at, reason: "runner_crashed" } as const;
  assert.equal(standing({ resources, last_turn, set_aside }), "set_aside");
  assert.equal(standing({ set_aside, status: "terminated" }), "terminated");
  assert.equal(standing({ resources: [{ ...resource, error: null }] as Session["resources"] }), "none");
});
