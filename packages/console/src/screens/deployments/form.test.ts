import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@berth/sdk";
import { newRepository } from "../new-session/form.ts";
import { bodyOf, changeOf, emptyForm, formOf, placeOf } from "./form.ts";
import { pausedSentence } from "./words.ts";

const repository = { mount_path: null, checkout: null, connection_id: null, access: null, environment: null };
const deployment = {
  name: "nightly",
  description: null,
  agent: { id: "agent_a", type: "agent", version: 2 },
  environment_id: "env_a",
  initial_events: [
    { type: "user.message", content: [{ type: "text", text: "Run" }] },
    { type: "system.message", content: [{ type: "text", text: "Be brief." }] },
  ],
  resources: [
    { type: "git_repository", url: "https://git.example/lib", username: "ada", ...repository },
    {
      ...{ type: "hosted_repository", url: "https://github.com/a/b", ...repository },
      ...{ connection_id: "conn_a", access: "read_only", environment: { from: "devcontainer" } },
    },
    { type: "file", file_id: "file_a", mount_path: null },
    { type: "memory_store", memory_store_id: "memstore_a", access: "read_only", instructions: "Look here." },
    { type: "vault", vault_id: "vault_r" },
  ],
  vault_ids: ["vault_a"],
  environment_variables: { CI: "1" },
  budget: { type: "limit", max_list_cost: { amount: "250", currency: "USD" } },
  follow: { pull_request: true, max_attempts: 3, max_list_cost: null, conflicts: "rebase" },
  schedule: {
    type: "cron",
    expression: "0 3 * * *",
    timezone: "UTC",
    last_run_at: null,
    upcoming_runs_at: [],
  },
  metadata: { team: "core" },
} as unknown as Deployment;

test("a new deployment: what was typed, without empty messages", () => {
  const empty = emptyForm("Europe/Berlin");
  const form = { ...empty, name: " nightly ", agentId: "agent_a", environmentId: "env_a" };
  assert.deepEqual(bodyOf(form), {
    ...{ name: "nightly", description: null, agent: "agent_a", environment_id: "env_a" },
    ...{ initial_events: [], resources: [], vault_ids: [], environment_variables: {} },
    ...{ budget: null, follow: null, schedule: null, metadata: {} },
  });
});

test("a deployment that is opened and saved changes nothing, and keeps its tokens", () => {
  assert.deepEqual(changeOf(deployment, formOf(deployment, "Asia/Tokyo")), {});
});

test("only what was changed is sent, and a changed list has what the form does not show", () => {
  const form = formOf(deployment, "UTC");
  assert.deepEqual(changeOf(deployment, { ...form, agentVersion: null, budget: "", follow: null }), {
    ...{ agent: "agent_a", budget: null, follow: null },
  });
  const [first, second] = form.repositories;
  const added = [...form.repositories, newRepository("https://git.example/c")];
  const { resources } = changeOf(deployment, { ...form, repositories: added });
  assert.deepEqual(resources, [
    { type: "git_repository", url: "https://git.example/lib", username: "ada" },
    {
      ...{ type: "hosted_repository", url: "https://github.com/a/b", connection_id: "conn_a" },
      ...{ access: "read_only", environment: { from: "devcontainer" } },
    },
    { type: "git_repository", url: "https://git.example/c" },
    { type: "file", file_id: "file_a", mount_path: "/mnt/session/uploads/file_a" },
    { type: "memory_store", memory_store_id: "memstore_a", access: "read_only", instructions: "Look here." },
    { type: "vault", vault_id: "vault_r" },
  ]);
  assert.deepEqual(
    ["resources[1].url", "schedule.expression", "schedule.timezone", "initial_events[0]", "agent.id"].map(
      (param) => placeOf(param, form),
    ),
    [`${second?.key} url`, "schedule", "schedule.timezone", "messages", "agent"],
  );
  assert.notEqual(first?.key, second?.key);
});

test("why a deployment is paused", () => {
  const error = (type: string) =>
    pausedSentence({ paused_reason: { type: "error", error: { type } } } as unknown as Deployment);
  assert.equal(
    error("agent_archived_error"),
    "Paused after five runs in a row failed: the agent is archived.",
  );
  assert.equal(error("owner_disabled_error"), "Paused, since its owner is disabled.");
  assert.equal(pausedSentence({ paused_reason: { type: "manual" } }), "Paused by hand.");
  assert.equal(pausedSentence({ paused_reason: null }), null);
});
