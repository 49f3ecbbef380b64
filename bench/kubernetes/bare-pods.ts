import { PassThrough } from "node:stream";
import { Exec, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import type { TestCluster } from "../../tests/kubernetes/harness/test-cluster.ts";
import type { Kubectl } from "./kubectl.ts";

const APP = "bare";
const LABEL = `app=${APP}`;
const COMMAND = ["/bin/true"];

/** The peer: sleeping pods of the sandboxes' image, without a volume, created and entered by kubectl. */
export class BarePods {
  readonly #kubectl: Kubectl;
  readonly #cluster: TestCluster;
  #count = 0;

  constructor(kubectl: Kubectl, cluster: TestCluster) {
    this.#kubectl = kubectl;
    this.#cluster = cluster;
  }

  /** Creates `count` pods at once, waits until they are ready and runs a command in each. */
  async start(count = 1): Promise<string[]> {
    const pods = Array.from({ length: count }, () => this.#body(`${APP}-${++this.#count}`));
    const names = pods.map(({ metadata }) => metadata?.name ?? "");
    const objects = names.map((name) => `pod/${name}`);
    await this.#kubectl.run(["create", "--filename", "-"], { apiVersion: "v1", kind: "List", items: pods });
    await this.#kubectl.run(["wait", "--for=condition=Ready", "--timeout=300s", ...objects]);
    await Promise.all(names.map((name) => this.execute(name)));
    return names;
  }

  /** Runs a command by `kubectl exec`. */
  async execute(name: string): Promise<void> {
    await this.#kubectl.run(["exec", name, "--", ...COMMAND]);
  }

  /** Runs a command by the client library, over a new WebSocket. */
  async executeByLibrary(name: string): Promise<void> {
    const config = new KubeConfig();
    config.loadFromFile(this.#cluster.kubeconfig);
    const ended = Promise.withResolvers<string | undefined>();
    const { namespace } = this.#cluster;
    const output = new PassThrough().resume();
    const done = ({ status }: { status?: string }) => ended.resolve(status);
    await new Exec(config).exec(namespace, name, APP, COMMAND, output, null, null, false, done);
    const status = await ended.promise;
    if (status !== "Success") throw new Error(`The command ended with ${status}.`);
  }

  async removeAll(): Promise<void> {
    await this.#kubectl.run(["delete", "pods", "--selector", LABEL, "--grace-period=1", "--wait"]);
  }

  #body(name: string): V1Pod {
    const { image, imagePullPolicy } = this.#cluster;
    const command = ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"];
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { app: APP } },
      spec: { restartPolicy: "Never", containers: [{ name: APP, image, imagePullPolicy, command }] },
    };
  }
}
