import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformance } from "../../test-support/conformance/conformance.ts";
import { DISK_TESTS } from "../../test-support/conformance/disk-tests.ts";
import { SNAPSHOT_TESTS } from "../../test-support/conformance/snapshot-tests.ts";
import { createKubernetesEngine } from "./kubernetes-engine.ts";

const skips: Record<string, string> = {};
for (const title of Object.keys(DISK_TESTS)) skips[title] = "volumes have the size of their claims";
for (const title of Object.keys(SNAPSHOT_TESTS)) skips[title] = "pods mount no snapshots";

conformance("kubernetes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berth-kubernetes-"));
  const engine = await createKubernetesEngine({ instance: `test-${process.pid}`, kubeconfig: "/work/k/c/kubeconfig", namespace: "default", defaultImage: "localhost/berth-test:1", imagePullPolicy: "Never", storageClass: "berth-test", diskBytes: 1e9, stateDir: join(directory, "state"), certificates: [], log: console.log });
  return { engine, uid: (process.pid % 10_000) + 120_000, close: async () => { await engine.close(); await rm(directory, { recursive: true }); } };
}, skips);
