import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../acceptance/harness/free-port.ts";
import { startBalancer } from "../../many-machines/harness/balancer.ts";
import { EGRESS_IMAGE } from "./make-egress-image.ts";
import type { PodService } from "./pod-service.ts";
import { openServiceNetwork } from "./service-network.ts";
import type { TestCluster } from "./test-cluster.ts";

/** The node's address and port at which pods reach the gateways. */
const ADDRESS = { host: "10.77.0.1", port: 4_182 };

/** The settings with which pods reach the gateways. */
export const GATEWAY_SETTINGS = {
  egress_gateway: `${ADDRESS.host}:${ADDRESS.port}`,
  kubernetes_egress_image: EGRESS_IMAGE,
};

export interface Gateway {
  url: string;
  kill(): Promise<unknown>;
}

/**
 * The gateways of a service on a test cluster. They stand in for a Service with several pods: connections go
 * to the gateway that was started last.
 */
export class Gateways {
  #current: Gateway | undefined;
  readonly #service: PodService;

  private constructor(service: PodService) {
    this.#service = service;
  }

  /**
   * Prepares the gateways' address.
   *
   * @param image archive of the sidecars' image.
   * @param cleanup receives the functions that undo it, in order.
   */
  static async open(
    service: PodService,
    cluster: TestCluster,
    image: Promise<string>,
    cleanup: (() => unknown)[],
  ): Promise<Gateways> {
    const gateways = new Gateways(service);
    const node = dirname(cluster.kubeconfig);
    const balancer = await startBalancer(() => [gateways.current.url]);
    cleanup.push(() => balancer.close());
    const network = await openServiceNetwork(join(node, "kubeconfig"));
    cleanup.push(() => network.close());
    const words = ["-a", join(node, "cd.sock"), "-n", "k8s.io", "images", "import", await image];
    await Promise.all([
      promisify(execFile)("ctr", words),
      network.toHere(ADDRESS, Number(new URL(balancer.url).port)),
    ]);
    return gateways;
  }

  get current(): Gateway {
    if (this.#current === undefined) throw new Error("no gateway was started");
    return this.#current;
  }

  /** Starts a gateway that replaces the current one. @returns the former gateway. */
  async startNext(): Promise<Gateway | undefined> {
    const former = this.#current;
    const port = await freePort();
    const started = await this.#service.start("egress", { BERTH_EGRESS_ADDRESS: `127.0.0.1:${port}` });
    this.#current = { url: `http://127.0.0.1:${port}`, kill: () => started.kill("SIGKILL") };
    return former;
  }
}
