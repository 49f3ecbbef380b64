/** The beginnings of the paths of files that run each time, unless a day has them. */
const EACH_TIME = [
  "packages/",
  "script/",
  "bench/",
  "tests/acceptance/",
  "tests/git-host/",
  "tests/console/main-job.test.ts",
];

/**
 * The rest: files that run on one of three days (UTC), with the seconds that each takes while three run at a
 * time. They take long, or they need Docker, Podman, a cluster, a proxy, strace or Git LFS. The days take
 * about the same time.
 */
export const DAYS: readonly Readonly<Record<string, number>>[] = [
  {
    "packages/cli/src/commands/apply/apply-skills.test.ts": 30,
    "packages/cli/src/commands/completion/completion.test.ts": 10,
    "packages/cli/src/commands/local/serve.test.ts": 35,
    "packages/cli/src/commands/sessions/workspace.test.ts": 25,
    "packages/cli/src/operations/confirm-deletion.test.ts": 30,
    "packages/cli/src/operations/operation-commands.test.ts": 40,
    "packages/sandbox/src/bubblewrap/debian.test.ts": 245,
    "packages/sandbox/src/docker/docker-engine.test.ts": 5,
    "packages/sandbox/src/kubernetes/pods.test.ts": 270,
    "packages/server/src/start/standing-limits.test.ts": 65,
    "packages/store/src/blobs/s3/swift.test.ts": 25,
    "packages/store/src/db/embedded/binaries.test.ts": 20,
    "script/up.test.ts": 30,
    "tests/acceptance/scenarios/git-lfs.test.ts": 5,
    "tests/acceptance/scenarios/secrets.test.ts": 10,
    "tests/console/overviews.test.ts": 5,
    "tests/console/truth.test.ts": 5,
    "tests/crash/kill.test.ts": 90,
    "tests/crash/mcp.test.ts": 5,
    "tests/crash/reclaim-waiting.test.ts": 35,
    "tests/crash/repository-retries.test.ts": 5,
    "tests/crash/s3-uploads.test.ts": 5,
    "tests/crash/session-batches.test.ts": 110,
    "tests/crash/sweep.test.ts": 5,
    "tests/crash/two-machines.test.ts": 10,
    "tests/guides/guides.test.ts": 500,
    "tests/guides/links.test.ts": 5,
    "tests/guides/printed-lines.test.ts": 20,
    "tests/image/image.test.ts": 120,
    "tests/kubernetes/chart/chart.test.ts": 5,
    "tests/kubernetes/printed-output.test.ts": 195,
    "tests/kubernetes/volume-snapshots.test.ts": 5,
    "tests/many-machines/pooler.test.ts": 5,
    "tests/proof/abuse/kill-during-abuse.test.ts": 5,
    "tests/proof/examples.test.ts": 290,
    "tests/proof/generated-requests.test.ts": 5,
    "tests/release/berth-package.test.ts": 150,
  },
  {
    "packages/agent/src/explore/explorer.crash.test.ts": 25,
    "packages/cli/src/commands/apply/apply-parts.test.ts": 25,
    "packages/cli/src/commands/admin/admin.test.ts": 60,
    "packages/cli/src/commands/login/login.test.ts": 30,
    "packages/cli/src/real-service.test.ts": 25,
    "packages/sandbox/src/bubblewrap/death.test.ts": 20,
    "packages/sandbox/src/bubblewrap/unprivileged.test.ts": 130,
    "packages/sandbox/src/docker/dockerd.test.ts": 425,
    "packages/sandbox/src/docker/podman.test.ts": 220,
    "packages/sandbox/src/system/layer-cache.test.ts": 60,
    "packages/server/src/start/installation-id.test.ts": 5,
    "packages/store/src/blobs/disk/durable-order.test.ts": 10,
    "packages/store/src/db/embedded/adopt-server.test.ts": 50,
    "packages/store/src/db/embedded/start-embedded-postgres.test.ts": 65,
    "script/bundle/bundle.test.ts": 25,
    "tests/agent-tasks/agent-tasks.test.ts": 255,
    "tests/console/disk.test.ts": 5,
    "tests/console/every-screen.test.ts": 10,
    "tests/console/explore.test.ts": 20,
    "tests/console/retry.test.ts": 5,
    "tests/console/secrets.test.ts": 60,
    "tests/console/sign-in.test.ts": 110,
    "tests/console/two-browsers.test.ts": 5,
    "tests/crash/memory.test.ts": 5,
    "tests/crash/readiness.test.ts": 40,
    "tests/crash/reclaim.test.ts": 150,
    "tests/crash/repository-setup.test.ts": 5,
    "tests/crash/saves.test.ts": 5,
    "tests/crash/shell.test.ts": 50,
    "tests/crash/turn.test.ts": 150,
    "tests/crash/waiting-calls.test.ts": 5,
    "tests/kubernetes/chart/applied.test.ts": 5,
    "tests/kubernetes/chart/installed.test.ts": 5,
    "tests/kubernetes/sessions.test.ts": 10,
    "tests/kubernetes/waits.test.ts": 5,
    "tests/kubernetes/warm-pods.test.ts": 415,
    "tests/many-machines/acceptance.test.ts": 210,
    "tests/many-machines/roles.test.ts": 5,
    "tests/observability/observability.test.ts": 20,
    "tests/proof/accepted-inputs/accepted-inputs.test.ts": 5,
    "tests/proof/concurrent-paging.test.ts": 35,
    "tests/proof/idle-sessions.test.ts": 90,
    "tests/proof/malformed/corpus.test.ts": 5,
    "tests/upgrade/upgrade.test.ts": 195,
  },
  {
    "packages/api/src/request/list-cost.test.ts": 60,
    "packages/cli/src/commands/local/config.test.ts": 25,
    "packages/cli/src/commands/login/device-login.test.ts": 45,
    "packages/cli/src/main.test.ts": 30,
    "packages/sandbox/src/kubernetes/kubernetes.test.ts": 425,
    "packages/sandbox/src/kubernetes/waits.test.ts": 285,
    "packages/sandbox/src/probes/unconfined-environment.test.ts": 30,
    "packages/sandbox/src/workspace/clone-faults.test.ts": 60,
    "packages/sandbox/src/workspace/lfs-refusals.test.ts": 15,
    "packages/sandbox/src/workspace/lfs.test.ts": 20,
    "packages/sandbox/src/workspace/snapshots.test.ts": 65,
    "packages/store/src/blobs/s3/s3-blobs.test.ts": 25,
    "packages/store/src/db/embedded/prepared-cluster.test.ts": 50,
    "packages/store/src/db/embedded/start-interrupted.test.ts": 40,
    "packages/store/src/db/embedded/supervise-embedded-postgres.test.ts": 20,
    "packages/store/src/secrets/secret-key.test.ts": 5,
    "tests/acceptance/scenarios/container-engine.test.ts": 75,
    "tests/acceptance/scenarios/outgoing-proxies.test.ts": 25,
    "tests/console/hostile-transcript.test.ts": 5,
    "tests/console/objects.test.ts": 10,
    "tests/console/screens.test.ts": 105,
    "tests/console/session-usage.test.ts": 15,
    "tests/console/tool-output.test.ts": 5,
    "tests/crash/explore.test.ts": 65,
    "tests/crash/idempotency.test.ts": 5,
    "tests/crash/idle-summary.test.ts": 335,
    "tests/crash/outputs.test.ts": 5,
    "tests/crash/printed-output-docker.test.ts": 35,
    "tests/crash/printed-output.test.ts": 60,
    "tests/crash/repository-snapshots.test.ts": 5,
    "tests/crash/set-aside.test.ts": 5,
    "tests/crash/workspace-reads.test.ts": 5,
    "tests/guides/proxies.test.ts": 40,
    "tests/kubernetes/chart/chart-objects.test.ts": 5,
    "tests/kubernetes/chart/manifests.test.ts": 5,
    "tests/kubernetes/nodes.test.ts": 150,
    "tests/kubernetes/whole-service.test.ts": 250,
    "tests/many-machines/failover.test.ts": 125,
    "tests/many-machines/fair-turns.test.ts": 5,
    "tests/many-machines/rolling-upgrade.test.ts": 5,
    "tests/proof/abuse/containment.test.ts": 195,
    "tests/proof/abuse/other-organization.test.ts": 10,
    "tests/proof/authorization.test.ts": 5,
    "tests/proof/escape/escapes.test.ts": 340,
    "tests/proof/tenant-isolation.test.ts": 5,
    "tests/release/sdk-package.test.ts": 155,
    "tests/systemd/debian-package.test.ts": 120,
  },
];

const DAY_MS = 86_400_000;

/** `each-time`, or the place in `DAYS`; null for a file of a folder that no part has. */
export function partOf(file: string): "each-time" | number | null {
  const day = DAYS.findIndex((files) => file in files);
  if (day >= 0) return day;
  return EACH_TIME.some((beginning) => file.startsWith(beginning)) ? "each-time" : null;
}

/** The place in `DAYS` of the rest that is due on the day of `now`. */
export function dayOfRest(now = Date.now()): number {
  return Math.floor(now / DAY_MS) % DAYS.length;
}

/**
 * How many times each day of the rest has had its turn. Files of the rest choose by it what they try of what
 * they vary (`TEST_DAY`): by the day itself they would try the same every third day.
 */
export function turnOfRest(now = Date.now()): number {
  return Math.floor(now / DAY_MS / DAYS.length);
}
