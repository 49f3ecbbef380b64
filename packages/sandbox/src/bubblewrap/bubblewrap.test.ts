// Subject: the conformance suite on the bubblewrap engine.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createEgress, openCertificateAuthority } from "@berth/egress";
import { conformance, type Subject } from "../../test-support/conformance/conformance.ts";
import { DISK_TESTS } from "../../test-support/conformance/disk-tests.ts";
import { OWN_USER_LIMITS, REFUSALS_TOLD } from "../../test-support/conformance/isolation-tests.ts";
import { SEEN_LIMITS } from "../../test-support/conformance/program-tests.ts";
import { LIMITED_SAVE_TESTS } from "../../test-support/conformance/save-tests.ts";
import { SNAPSHOT_TESTS } from "../../test-support/conformance/snapshot-tests.ts";
import { perfIsBounded } from "../host/perf-events.ts";
import { WORKSPACE_PROGRAMS } from "../workspace/repository/repository-environment.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";
import { diskLimit, snapshots } from "./probe.ts";

const skips: Record<string, string> = Object.fromEntries(
  (
    [
      [{ ...DISK_TESTS, ...LIMITED_SAVE_TESTS }, await diskLimit(tmpdir())],
      [SNAPSHOT_TESTS, await snapshots(tmpdir())],
    ] as const
  )
    .filter(([, { state }]) => state !== "yes")
    .flatMap(([tests, { detail }]) => Object.keys(tests).map((title) => [title, detail])),
);
if (process.getuid?.() !== 0) {
  skips[REFUSALS_TOLD] = "without root nobody hears what the kernel refuses";
  skips[SEEN_LIMITS] = "without root there are no control groups";
  skips[OWN_USER_LIMITS] = "without root all sandboxes run as one user";
}

test("in CI no conformance test is skipped", { skip: process.env.CI !== "true" }, () => {
  assert.deepEqual(skips, {});
});

conformance(
  "bubblewrap",
  async (): Promise<Subject> => {
    const directory = await mkdtemp(join(tmpdir(), "berth-engine-"));
    const authority = await openCertificateAuthority(join(directory, "authority"));
    const egress = await createEgress({ mitm: { authority, trusted: [], errorPrefix: "Berth: " } });
    const engine = await createBubblewrapEngine({
      instance: `test-${process.pid}`,
      stateDir: join(directory, "state"),
      egress,
      certificates: [authority.certificate],
      programs: WORKSPACE_PROGRAMS,
      perf: perfIsBounded(),
    });
    return {
      engine,
      uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
      async close() {
        await engine.close();
        await egress.close();
        await rm(directory, { recursive: true });
      },
    };
  },
  skips,
);
