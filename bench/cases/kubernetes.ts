import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import type { Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../tests/acceptance/harness/stream.ts";
import { waitUntil } from "../../tests/acceptance/harness/wait-until.ts";
import { findKit, missingForCluster } from "../../tests/kubernetes/harness/find-kit.ts";
import { startTestCluster, type TestCluster } from "../../tests/kubernetes/harness/test-cluster.ts";
import { type Figure, median, percentile, times } from "../figure.ts";
import { BarePods } from "../kubernetes/bare-pods.ts";
import { Kubectl } from "../kubernetes/kubectl.ts";
import { podFigures } from "./sandbox-pods.ts";

const ROUNDS = 6;
const AT_ONCE = [12, 24];

/**
 * Measures sessions in pods of a real one-node cluster on this machine, against bare pods that kubectl
 * creates and enters.
 */
export async function kubernetesFigures(): Promise<Figure[] | string> {
  const missing = missingForBench();
  if (missing !== null) return `kubernetes: skipped: ${missing}`;
  const cluster = await startTestCluster();
  try {
    const bare = new BarePods(await Kubectl.install(cluster.kubeconfig), cluster);
    const [alone, figures] = await sessionFigures(cluster, bare);
    return [...figures, ...(await warmFigures(cluster, alone)), ...(await podFigures(cluster, bare))];
  } finally {
    await cluster.close();
  }
}

function missingForBench(): string | null {
  const missing = missingForCluster();
  if (missing !== null || findKit()?.kind === "scripts") return missing;
  return "processes of the node are measured: let BERTH_TEST_KUBERNETES name the directory with the programs of a cluster";
}

const PEER = "a bare pod: `kubectl create`, `wait`, `exec`";

function row(what: string, values: number[], alone: readonly number[]): Figure {
  const own = { value: median(values), p95: percentile(values, 0.95), peerValue: median(alone) };
  return { what, peer: PEER, unit: "ms", ...own };
}

/** Measures sessions. Also returns the times of bare pods. */
async function sessionFigures(cluster: TestCluster, bare: BarePods): Promise<[number[], Figure[]]> {
  const berth = await Berth.start({ settings: settingsFor(cluster) });
  try {
    const sessions = new Sessions(await berth.client(), cluster);
    await sessions.prepare();
    const alone = await times(ROUNDS, () => bare.start());
    await bare.removeAll();
    const created: number[] = [];
    const resumed: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      const id = await sessions.create();
      created.push(performance.now() - begun);
      await sessions.parked();
      resumed.push(...(await times(1, () => sessions.command(id))));
      await sessions.parked();
    }
    const claims = await sessions.claims();
    const figures = [
      row("create → first command, with a new volume", created, alone),
      {
        ...row("message → command in a parked session", resumed, alone),
        note: `parked it has no pod and ${claims / ROUNDS} volume claim`,
      },
      ...(await atOnce(sessions, bare)),
    ];
    return [alone, figures];
  } finally {
    await berth.stop();
  }
}

/**
 * Measures sessions that begin in a pod of the warm pool, one after another, each once the next pod is ready.
 */
async function warmFigures(cluster: TestCluster, alone: readonly number[]): Promise<Figure[]> {
  const berth = await Berth.start({ settings: { ...settingsFor(cluster), BERTH_KUBERNETES_WARM_PODS: "1" } });
  try {
    const sessions = new Sessions(await berth.client(), cluster);
    await sessions.prepare();
    const used = new Set<string>();
    const warm: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await waitUntil(
        async () => {
          const [pod] = await sessions.warmPods();
          return pod !== undefined && !used.has(pod) && (await isOneReady(berth));
        },
        () => "no warm pod is ready",
      );
      for (const pod of await sessions.warmPods()) used.add(pod);
      warm.push(...(await times(1, () => sessions.create())));
      await sessions.parked();
    }
    return [row("create → first command, in a pod of the warm pool", warm, alone)];
  } finally {
    await berth.stop();
  }
}

async function isOneReady({ url }: Berth): Promise<boolean> {
  return /^berth_warm_sandboxes\S* 1$/m.test(await (await fetch(`${url}/metrics`)).text());
}

async function atOnce(sessions: Sessions, bare: BarePods): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of AT_ONCE) {
    const [peerValue = 0] = await times(1, () => bare.start(count));
    await bare.removeAll();
    const durations: number[] = [];
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: count }, async () => {
        await sessions.create();
        durations.push(performance.now() - begun);
      }),
    );
    await sessions.parked();
    figures.push({
      what: `create → first command of ${count} sessions at once, until the last has it`,
      peer: `${count} bare pods at once`,
      unit: "ms",
      value: Math.max(...durations),
      peerValue,
      note: `median ${median(durations).toFixed(0)} ms`,
    });
  }
  return figures;
}

/** Sessions whose pods end with their turns. */
class Sessions {
  readonly #api: Api;
  readonly #cluster: TestCluster;
  readonly #core: CoreV1Api;
  #of: { agent: string; environment_id: string } = { agent: "", environment_id: "" };

  constructor(api: Api, cluster: TestCluster) {
    this.#api = api;
    this.#cluster = cluster;
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    this.#core = config.makeApiClient(CoreV1Api);
  }

  async prepare(): Promise<void> {
    const [agent, environment] = await Promise.all([makeAgent(this.#api), makeEnvironment(this.#api)]);
    this.#of = { agent: agent.id, environment_id: environment.id };
  }

  /** Creates a session, and resolves with its id once its first command has ended. */
  async create(): Promise<string> {
    const body = { ...this.#of, initial_events: [steps(bash("true"))] };
    const { id } = await this.#api.ok("POST", "/sessions", body);
    await this.#result(id, null);
    return id;
  }

  async command(id: string): Promise<void> {
    const { data } = await this.#api.ok("POST", `/sessions/${id}/events`, { events: [steps(bash("true"))] });
    await this.#result(id, data[0].id);
  }

  /** Waits for a result. @param after the event that asked for it; null for the first result. */
  async #result(id: string, after: string | null): Promise<void> {
    let isAsked = after === null;
    const events = await readEventsUntil(this.#api, id, (event) => {
      isAsked ||= event.id === after;
      return isAsked && event.type === "agent.tool_result";
    });
    const result = events.at(-1);
    if (result?.is_error) throw new Error(JSON.stringify(result.content));
  }

  /** Returns the uids of pods without a session. */
  async warmPods(): Promise<string[]> {
    const { namespace } = this.#cluster;
    const found = await this.#core.listNamespacedPod({ namespace, labelSelector: "berth.owner=pool" });
    return found.items.map(({ metadata }) => metadata?.uid ?? "");
  }

  async parked(): Promise<void> {
    const { namespace } = this.#cluster;
    await waitUntil(
      async () =>
        (
          await this.#core.listNamespacedPod({
            namespace,
            labelSelector: "berth.sandbox,berth.owner!=pool",
          })
        ).items.length === 0,
      () => "pods of sessions are left",
    );
  }

  async claims(): Promise<number> {
    const { namespace } = this.#cluster;
    return (await this.#core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector: "berth.disk" }))
      .items.length;
  }
}

function settingsFor({ kubeconfig, namespace, image, storageClass }: TestCluster): Record<string, string> {
  return {
    BERTH_SANDBOX: "kubernetes",
    BERTH_KUBECONFIG: kubeconfig,
    BERTH_KUBERNETES_NAMESPACE: namespace,
    BERTH_KUBERNETES_IMAGE: image,
    ...(storageClass === null ? {} : { BERTH_KUBERNETES_STORAGE_CLASS: storageClass }),
    BERTH_SESSION_DISK_MB: "64",
    BERTH_SANDBOX_IDLE_SECONDS: "0",
  };
}
