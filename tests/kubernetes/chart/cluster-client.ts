import { PassThrough } from "node:stream";
import { AppsV1Api, BatchV1Api, CoreV1Api, Exec, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { RELEASE } from "../../../script/chart/render-chart.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";

const namespace = RELEASE.Namespace;
const LOG_CHARACTERS = 2_000;

/** A client of a chart release in a cluster. */
export class ClusterClient {
  readonly #config = new KubeConfig();
  readonly core: CoreV1Api;
  readonly #batch: BatchV1Api;
  readonly #apps: AppsV1Api;

  constructor(kubeconfig: string) {
    this.#config.loadFromFile(kubeconfig);
    this.core = this.#config.makeApiClient(CoreV1Api);
    this.#batch = this.#config.makeApiClient(BatchV1Api);
    this.#apps = this.#config.makeApiClient(AppsV1Api);
  }

  /** Resolves when pods can be created in the namespace: its service account is created after it. */
  async takesPods(name: string): Promise<void> {
    const isThere = () =>
      this.core.readNamespacedServiceAccount({ name: "default", namespace: name }).then(
        () => true,
        () => false,
      );
    await waitUntil(isThere, () => `the namespace ${name} has no account`);
  }

  async migrated(): Promise<void> {
    const name = "berth-migrate";
    await this.#waitFor(name, async () => {
      const { status } = await this.#batch.readNamespacedJob({ name, namespace });
      return (status?.succeeded ?? 0) > 0;
    });
  }

  async ready(role: string): Promise<void> {
    const name = `berth-${role}`;
    await this.#waitFor(name, async () => {
      const { metadata, spec, status } = await this.#apps.readNamespacedDeployment({ name, namespace });
      const counts = [status?.replicas, status?.updatedReplicas, status?.readyReplicas];
      return (
        status?.observedGeneration === metadata?.generation &&
        counts.every((count) => count === spec?.replicas)
      );
    });
  }

  /** Waits for a condition. @throws with the log of the pods. */
  async #waitFor(name: string, condition: () => Promise<boolean>): Promise<void> {
    let log = "";
    await waitUntil(condition, () => name).catch(async () => {
      for (const pod of await this.#podsOf(name)) log += await this.#logOf(pod);
      throw new Error(`${name} is not ready:\n${log}`);
    });
  }

  async #logOf({ metadata, status }: V1Pod): Promise<string> {
    const name = metadata?.name ?? "";
    const states = JSON.stringify(
      status?.containerStatuses?.map(({ state, lastState }) => ({ state, lastState })),
    );
    const log = await this.core.readNamespacedPodLog({ name, namespace }).catch(String);
    return `${name} ${states}\n${log.slice(-LOG_CHARACTERS)}\n`;
  }

  async #podsOf(name: string): Promise<V1Pod[]> {
    const { items } = await this.core.listNamespacedPod({ namespace });
    return items.filter(
      ({ metadata }) => metadata?.name?.startsWith(`${name}-`) && metadata.deletionTimestamp === undefined,
    );
  }

  async podOf(role: string): Promise<V1Pod> {
    const [pod] = await this.#podsOf(`berth-${role}`);
    if (pod === undefined) throw new Error(`there is no pod of ${role}`);
    return pod;
  }

  /** Returns the address of a role's pod. */
  async addressOf(role: string): Promise<string> {
    let address: string | undefined;
    await this.#waitFor(`berth-${role}`, async () => {
      address = (await this.#podsOf(`berth-${role}`))[0]?.status?.podIP;
      return address !== undefined;
    });
    return address ?? "";
  }

  /** Runs a command in a role's pod and returns its output. @throws with the output if it fails. */
  async run(role: string, script: string): Promise<string> {
    const output = new PassThrough().setEncoding("utf8");
    let text = "";
    output.on("data", (part: string) => {
      text += part;
    });
    const ended = Promise.withResolvers<{ status?: string }>();
    const { metadata } = await this.podOf(role);
    const [pod, command] = [metadata?.name ?? "", ["sh", "-c", script]];
    const exec = new Exec(this.#config);
    const socket = await exec.exec(namespace, pod, role, command, output, output, null, false, ended.resolve);
    socket.on("close", () => ended.resolve({ status: "closed" }));
    const { status } = await ended.promise;
    if (status !== "Success") throw new Error(`${status}: ${text}`);
    return text;
  }
}
