// Subject: `probeEngine` in a sandbox whose commands run as root (`SystemLayers.changes`).
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createEgress } from "@berth/egress";
import { testRootFilesystem } from "../../test-support/system.ts";
import { createBubblewrapEngine } from "../bubblewrap/bubblewrap-engine.ts";
import { perfIsBounded } from "../host/perf-events.ts";
import { SYSTEM_IDS } from "../interface/spec.ts";
import { WORKSPACE_PROGRAMS } from "../workspace/repository/repository-environment.ts";
import { probeEngine } from "./probe-engine.ts";

/** The only probes that may succeed for root of a user namespace over its own root filesystem. */
const ROOT_IS = [
  ...["su", "setuid_programs", "user_zero", "groups", "capabilities", "capability_gain", "file_capability"],
  ...["file_owner", "file_owner_others"],
  ...["host_shadow", "write_usr", "write_etc", "write_preload", "write_trust", "proc_write"],
];

const { path: rootFilesystem, skip } = await testRootFilesystem();

test("probes in a sandbox that builds a layer: root → root in its own root filesystem, and nowhere else", {
  skip,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "berth-root-"));
  const egress = await createEgress();
  const engine = await createBubblewrapEngine({
    instance: `root-${process.pid}`,
    stateDir: join(directory, "state"),
    egress,
    certificates: [],
    programs: WORKSPACE_PROGRAMS,
    perf: perfIsBounded(),
  });
  try {
    const system = { rootFilesystem, changes: true as const };
    const results = await probeEngine(engine, {
      directory,
      uids: [SYSTEM_IDS.first, 71_600],
      probed: { system, files: [], directories: [] },
    });
    const escaped = results.filter(({ probe, state }) => state !== "held" && !ROOT_IS.includes(probe.id));
    assert.deepEqual(
      escaped.map(({ probe, state, detail }) => `${probe.id} ${state}: ${detail}`),
      [],
    );
  } finally {
    await engine.close();
    await egress.close();
    await rm(directory, { recursive: true });
  }
});
