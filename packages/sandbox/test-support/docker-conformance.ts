import { type EngineKind, missingForEngine } from "../../../tests/container-engine/container-engine.ts";
import { isSampled, notInSample, notTodays } from "../../../tests/effort/effort.ts";
import { conformance, type Subject, unusedSubject } from "./conformance/conformance.ts";
import { DISK_TESTS } from "./conformance/disk-tests.ts";
import { OWN_GROUP_TEST } from "./conformance/isolation-tests.ts";
import { SNAPSHOT_TESTS } from "./conformance/snapshot-tests.ts";
import { startSubject } from "./docker-engine.ts";

/** Samples of tests that are not run. More run with Docker, which most installations use. */
const NOT_TRIED = {
  dockerd: (place: number) => notInSample(place, 2),
  podman: (place: number) => notTodays("engines", place, isSampled() ? 3 : 2),
};

/** Runs the conformance suite on a real container engine, which the test starts and stops. */
export function conformanceOf(kind: EngineKind): void {
  const lack = missingForEngine(kind);
  const skips: Record<string, string> = lack === null ? {} : { "*": lack };
  for (const title of Object.keys(DISK_TESTS)) skips[title] = "container engines cannot limit a disk";
  for (const title of Object.keys(SNAPSHOT_TESTS)) skips[title] = "container engines mount no snapshots";
  if (kind === "podman") skips[OWN_GROUP_TEST] = "Podman shows it";
  conformance(
    `docker with ${kind}`,
    async (): Promise<Subject> => {
      if (lack !== null) return await unusedSubject();
      return await startSubject(kind);
    },
    skips,
    { notInSample: NOT_TRIED[kind] },
  );
}
