import assert from "node:assert/strict";
import { test } from "node:test";
import type { Health } from "@berth/sdk";
import { sharedInstallation } from "../../../test-support/installation.ts";
import { healthLines } from "./health-lines.ts";

const MEBIBYTE = 1024 * 1024;

const HEALTH: Health = {
  ...{ type: "health", version: "1.2.3", ready: true, fault: null },
  checks: [
    { name: "network", state: "yes", detail: "It listens." },
    { name: "models", state: "degraded", detail: "Only one." },
    { name: "data_directory", state: "no", detail: "Others can write in it." },
  ],
  hosts: [
    {
      ...{ id: "h1", name: "alpha", version: "1.2.3", capacity: 16, seen_at: "2026-11-25T12:00:00.000Z" },
      ...{
        role: "runner",
        draining: true,
        sessions: 1_200,
        deleted_sessions: 0,
        other_settings: ["BERTH_ROOTFS"],
      },
    },
    {
      ...{ id: "h2", name: null, version: null, capacity: null, seen_at: null },
      ...{ role: null, draining: false, sessions: 2, deleted_sessions: 0, other_settings: [] },
    },
  ],
  sessions: { idle: 1, running: 2, rescheduling: 3, terminated: 4, due: 5, due_seconds: 6, set_aside: 0 },
  disk: { size_bytes: 100 * MEBIBYTE, free_bytes: 40 * MEBIBYTE },
  database_bytes: 12 * MEBIBYTE,
  session_disks: { count: 7, bytes: 70 * MEBIBYTE },
  repository_snapshots: { repositories: 2, count: 3, bytes: 30 * MEBIBYTE },
};

test("a report: readiness, checks, services, amounts", () => {
  assert.deepEqual(healthLines(HEALTH), [
    "Berth 1.2.3: ready",
    "",
    "ok       network         It listens.",
    "weak     models          Only one.",
    "missing  data_directory  Others can write in it.",
    "",
    "HOST  NAME   ROLE    VERSION  TURNS AT ONCE  SESSIONS  LAST SEEN                 STATE",
    "h1    alpha  runner  1.2.3    16             1,200     2026-11-25T12:00:00.000Z  draining; other BERTH_ROOTFS",
    "h2    -      -       -        -              2         never                     -",
    "",
    "sessions        2 running, 3 rescheduling, 1 idle, 4 ended; 5 wait, the first for 6 s",
    "session disks   7, 70 MiB",
    "snapshots       3 of 2 repositories, 30 MiB",
    "database        12 MiB",
    "data directory  40 MiB free of 100 MiB",
  ]);
});

test("a report of a service that runs no sessions, and cannot measure its disk", () => {
  const lines = healthLines({ ...HEALTH, ready: false, fault: "sandbox", hosts: [], disk: null });
  assert.equal(lines[0], "Berth 1.2.3: not ready (sandbox)");
  assert.equal(lines.at(-1), "data directory  -");
});

test("health: who is no admin is told so", async (t) => {
  const { run, stop } = await sharedInstallation();
  t.after(stop);
  const { code, stderr } = await run(["health"]);
  assert.equal(code, 4);
  assert.match(stderr, /Only an admin of the organization can see the health of the installation\./);
});
