// The conformance suite in pods.
import { missingForCluster } from "../../../../tests/kubernetes/harness/find-kit.ts";
import { conformance } from "../../test-support/conformance/conformance.ts";
import { SNAPSHOT_TESTS } from "../../test-support/conformance/snapshot-tests.ts";
import { startPodSubject } from "../../test-support/kubernetes-engine.ts";

const missing = missingForCluster();
const skips: Record<string, string> = missing === null ? {} : { "*": missing };
for (const title of Object.keys(SNAPSHOT_TESTS)) skips[title] = "pods mount no snapshots";

conformance("kubernetes", startPodSubject, skips);
