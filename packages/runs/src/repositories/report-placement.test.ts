import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "@berth/agent";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { PlacementOutcome } from "../lease/append-placement.ts";
import { reportFailed, reportReady } from "./report-placement.ts";

test("reportReady: without its setup → the error and that it is in place are appended together, and the model is told", async () => {
  const appended: [string[], string][] = [];
  const target = {
    runLog: {
      append: () => assert.fail("apart"),
      appendPlacement: async (drafts: readonly Draft[], _id: string, { type }: PlacementOutcome) => {
        appended.push([drafts.map(({ event }) => event.type), type]);
      },
    },
    notes: [],
  };
  const resource = { id: "0192d3c0-0000-7000-8000-000000000001", failedAt: null } as RunRepository;
  await reportReady(target, resource, performance.now(), { unprepared: "The setup script failed." });
  assert.deepEqual(appended, [[["session.error", "session.resource_ready"], "ready"]]);
  assert.deepEqual(target.notes, ["[The setup script failed.]"]);
});

const repository = (id: number, url: string, mountPath = `/data/${id}`) =>
  ({
    type: "hosted_repository",
    id: `0192d3c0-0000-7000-8000-00000000000${id}`,
    url,
    mountPath,
    inputs: "",
    failedAt: new Date(),
  }) as RunRepository;

function pending() {
  const runLog = { append: async () => [], appendPlacement: async () => {} };
  return { runLog: runLog as unknown as Parameters<typeof reportReady>[0]["runLog"], notes: ["[another]"] };
}

const fault = (message: string) => ({ type: "repository_clone_error" as const, message });

test("a repository that was repaired before its failure was told → the model is told where it is, and nothing else", async () => {
  const target = pending();
  const one = repository(1, "https://git.example/a");
  await reportFailed(target, one, fault("The host is away."));
  await reportReady(target, one, performance.now(), { commit: "12ab" });
  assert.deepEqual(target.notes, ["[another]", "[The repository https://git.example/a is now at /data/1.]"]);
});

test("a repository that failed twice before it was told → the newest reason alone", async () => {
  const target = pending();
  const one = repository(1, "https://git.example/a");
  await reportFailed(target, one, fault("No credential."));
  await reportFailed(target, one, fault("The branch is missing."));
  assert.deepEqual(target.notes.slice(1), [
    "[The repository https://git.example/a is not at /data/1: The branch is missing.]",
  ]);
});

test("another repository, and the same one elsewhere → its failure is told all the same", async () => {
  const target = pending();
  const [one, other, elsewhere] = [
    repository(1, "https://git.example/a"),
    repository(2, "https://git.example/ab"),
    repository(3, "https://git.example/a", "/data/1-2"),
  ] as const;
  for (const each of [one, other, elsewhere]) await reportFailed(target, each, fault("Away."));
  await reportReady(target, one, performance.now(), { commit: "12ab" });
  assert.deepEqual(target.notes.slice(1), [
    "[The repository https://git.example/ab is not at /data/2: Away.]",
    "[The repository https://git.example/a is not at /data/1-2: Away.]",
    "[The repository https://git.example/a is now at /data/1.]",
  ]);
});
