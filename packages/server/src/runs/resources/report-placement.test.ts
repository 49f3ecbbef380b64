import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "@berth/agent";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { PlacementOutcome } from "../lease/append-placement.ts";
import { reportReady } from "./report-placement.ts";

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
