import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bash, makeAgent, makeEnvironment, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../tests/acceptance/harness/stream.ts";
import type { GitHost } from "../../tests/git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../../tests/git-host/github-host.ts";
import { findKit, missingForCluster } from "../../tests/kubernetes/harness/find-kit.ts";
import { GATEWAY_SETTINGS, Gateways } from "../../tests/kubernetes/harness/gateways.ts";
import { makeEgressImage } from "../../tests/kubernetes/harness/make-egress-image.ts";
import { PodService } from "../../tests/kubernetes/harness/pod-service.ts";
import { startTestCluster, type TestCluster } from "../../tests/kubernetes/harness/test-cluster.ts";
import { manyFiles } from "../bench-repository.ts";
import { type Figure, median, times } from "../figure.ts";

const ROUNDS = 3;
const FILES = [5_000, 50_000];

/**
 * Measures sessions in pods with a repository: cloned, and on disks that the test driver creates from a
 * volume snapshot.
 */
export async function volumeSnapshotFigures(): Promise<Figure[] | string> {
  const kit = findKit();
  const missing = missingForCluster();
  if (missing !== null || kit?.kind !== "scripts")
    return `volume-snapshots: skipped: ${missing ?? "it plays the storage driver of a cluster of its own"}`;
  const directory = mkdtempSync(join(tmpdir(), "berth-bench-"));
  const cleanup: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  try {
    const image = makeEgressImage(join(directory, "image"), kit.directory);
    const host = await startGitHostOnDefaultPort({ dir: join(directory, "git") });
    cleanup.push(() => host.stop());
    const [cluster] = await Promise.all([startTestCluster(), image]);
    cleanup.push(() => cluster.close());
    const service = await PodService.prepare(cluster);
    cleanup.push(() => service.close());
    const gateways = await Gateways.open(service, cluster, image, cleanup);
    service.set(settingsFor(host));
    await service.startApi();
    await gateways.startNext();
    const figures = [];
    for (const files of FILES) figures.push(...(await figuresOf(service, { cluster, host, files })));
    return figures;
  } finally {
    for (const cleanUp of cleanup.reverse()) await cleanUp();
  }
}

async function figuresOf(
  service: PodService,
  { cluster, host, files }: { cluster: TestCluster; host: GitHost; files: number },
): Promise<Figure[]> {
  const { api } = service;
  const name = `files-${files}`;
  await host.createRepository({ org: "bench", name, private: false, files: manyFiles(files) });
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api)]);
  const firstCommand = async () => {
    const { id } = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      resources: [{ type: "hosted_repository", url: `${host.url}/bench/${name}`, mount_path: "/data/repo" }],
      initial_events: [steps(bash("git -C repo rev-parse HEAD"))],
    });
    const events = await readEventsUntil(api, id, ({ type }) => type === "agent.tool_result");
    if (events.at(-1)?.is_error) throw new Error(JSON.stringify(events.at(-1)));
  };
  const measure = async (count: number) => {
    const durations: number[] = [];
    for (let round = 0; round < count; round += 1) {
      durations.push(...(await times(1, firstCommand)));
      await service.parked();
    }
    return durations;
  };
  const plain = await service.start("runner");
  const cloned = await measure(ROUNDS);
  await plain.kill("SIGTERM");
  const runner = await service.start("runner", {
    BERTH_KUBERNETES_SNAPSHOT_CLASS: cluster.snapshotClass ?? "",
  });
  const [taking = 0] = await measure(1);
  const restored = await measure(ROUNDS);
  await runner.kill("SIGTERM");
  const updating = millisecondsOf(runner.log, "a disk was created from a volume snapshot");
  if (updating.length !== ROUNDS) throw new Error(`${updating.length} sessions began from a snapshot`);
  const [waited = 0] = millisecondsOf(runner.log, "a volume snapshot was taken");
  const peer = "the same, cloned";
  const row = (what: string, value: number, note: string): Figure => ({
    ...{ what: `${files} files: ${what}`, peer, unit: "ms", value, peerValue: median(cloned) },
    note,
  });
  return [
    row("create → first command, of which a snapshot is taken", taking, `${waited} ms until it is cut`),
    row(
      "create → first command, from a snapshot",
      median(restored),
      `${median(updating)} ms of it for bringing it up to date`,
    ),
  ];
}

function settingsFor(host: GitHost): object {
  return {
    ...GATEWAY_SETTINGS,
    session_disk_mb: 1024,
    hosted_providers: [{ host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile }],
    egress_allow_private: host.host,
  };
}

/** Returns the milliseconds in the log lines with this text. */
function millisecondsOf(log: string, text: string): number[] {
  return log
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line).milliseconds);
}
