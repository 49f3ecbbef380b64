// Subject: the conformance suite on the engine in pods.

import { notTodays } from "../../../../tests/effort/effort.ts";
import { missingForCluster } from "../../../../tests/kubernetes/harness/find-kit.ts";
import { conformance, unusedSubject } from "../../test-support/conformance/conformance.ts";
import { OWN_GROUP_TEST, REFUSALS_TOLD } from "../../test-support/conformance/isolation-tests.ts";
import { TOGETHER } from "../../test-support/conformance/probe-tests.ts";
import { SEEN_CORES } from "../../test-support/conformance/program-tests.ts";
import { SNAPSHOT_TESTS } from "../../test-support/conformance/snapshot-tests.ts";
import { startPodSubject } from "../../test-support/kubernetes-engine.ts";

/** One of this many tests runs each day, besides all escape probes, because a pod takes seconds to start. */
const SAMPLE = 5;
const NETWORK_TESTS = [
  REFUSALS_TOLD,
  "command: hosts denied meanwhile are in its result",
  "credentials: a connection to their host is opened, by an authority that programs inside trust",
  "isolation: what a process sees of itself and of others",
  "signing: git gets the signature of a commit from outside, though no host is allowed",
];

const missing = missingForCluster();
const skips: Record<string, string> = missing === null ? {} : { "*": missing };
for (const title of Object.keys(SNAPSHOT_TESTS)) skips[title] = "pods mount no snapshots";
skips["disk limit: programs run from the disk, and set-user-id has no effect"] =
  "volumes are mounted without nosuid and nodev, and programs gain no privileges";
for (const title of NETWORK_TESTS)
  skips[title] = "these pods have what the cluster's network gives every pod";
skips[OWN_GROUP_TEST] = "cgroup v1 shows it";
skips[SEEN_CORES] = "pods have a limit of CPU time, and all cores of their node";
skips["isolation: commands that must fail"] = "every pod sees the /sys of its node";
skips["disk limit: nothing is left of a removed disk"] = "it looks for loop devices of this host";
skips["disk limit: a disk that was created without one never gets one"] = "a volume always has a size";

conformance("kubernetes", missing === null ? startPodSubject : unusedSubject, skips, {
  notInSample: (place, title) => title !== TOGETHER && notTodays("pods", place, SAMPLE),
  probesTogether: true,
});
