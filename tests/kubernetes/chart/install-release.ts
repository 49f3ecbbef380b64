import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  type ClusterObject,
  merged,
  RELEASE,
  renderChart,
  type Values,
} from "../../../script/chart/render-chart.ts";
import { S3_CREDENTIALS } from "../../s3-host/s3-host.ts";
import { SERVICE_IMAGE } from "../harness/make-service-image.ts";
import type { ServiceNetwork } from "../harness/service-network.ts";
import type { TestCluster } from "../harness/test-cluster.ts";
import { ClusterClient } from "./cluster-client.ts";
import type { ObjectsOfServer } from "./objects-of-server.ts";
import { DATABASE_URL, GATEWAY_PORT, startSurroundings, WEB } from "./surroundings.ts";

export const ROLES = ["egress", "api", "runner"];
/**
 * The kinds of the chart's objects that are created before its services. Disruption budgets are omitted,
 * since the test cluster lacks the chart's version of them.
 */
const FIRST = ["Namespace", "NetworkPolicy", "ServiceAccount", "Role", "RoleBinding"];
const CHANGED = [...FIRST, "Service", "Deployment"];

/**
 * The chart with the image of this source, installed in its own cluster, with a database, a bucket and a web
 * server outside.
 */
export class InstalledRelease {
  readonly client: ClusterClient;
  readonly cluster: TestCluster;
  readonly #network: ServiceNetwork;
  readonly #server: ObjectsOfServer;
  readonly #values: Values;
  /** The address of the egress service. */
  #gateway = "";

  constructor(cluster: TestCluster, network: ServiceNetwork, server: ObjectsOfServer, place: string) {
    this.cluster = cluster;
    this.client = new ClusterClient(cluster.kubeconfig);
    this.#network = network;
    this.#server = server;
    this.#values = valuesFor(cluster, place);
  }

  get gateway(): { host: string; port: number } {
    return { host: this.#gateway, port: GATEWAY_PORT };
  }

  /** Installs the chart in Helm's order: the job first, then everything else by kind. */
  async install(): Promise<void> {
    const objects = renderChart(this.#values);
    const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind));
    await this.#create({ apiVersion: "v1", kind: "Namespace", metadata: { name: RELEASE.Namespace } });
    await this.client.takesPods(RELEASE.Namespace);
    await this.#createSecret("berth-database", { url: DATABASE_URL });
    await this.#createSecret("berth-key", { "secret.key": randomBytes(32).toString("base64") });
    await this.#createSecret("berth-s3", S3_CREDENTIALS);
    for (const job of ofKind("Job")) await this.#create(job);
    await this.client.migrated();
    for (const kind of FIRST) for (const object of ofKind(kind)) await this.#create(object);
    for (const service of ofKind("Service")) await this.#serve(service);
    for (const deployment of ofKind("Deployment")) await this.#create(deployment);
    await this.#connectGateway();
    for (const role of ROLES) await this.client.ready(role);
  }

  /** Applies other values of the same chart version. */
  async upgrade(changed: Values): Promise<void> {
    for (const object of renderChart(merged(this.#values, changed))) {
      if (!CHANGED.includes(object.kind)) continue;
      const { status, body } = await this.#server.change(object);
      assert.equal(status, 200, `${object.kind} ${object.metadata.name}: ${body.message}`);
    }
    for (const role of ROLES) await this.client.ready(role);
    await this.#connectGateway();
  }

  async #create(object: ClusterObject): Promise<ClusterObject> {
    const { status, body } = await this.#server.create(object);
    assert.equal(status, 201, `${object.kind} ${object.metadata.name}: ${body.message}`);
    return body;
  }

  async #createSecret(name: string, stringData: object): Promise<void> {
    const metadata = { name, namespace: RELEASE.Namespace };
    await this.#create({ apiVersion: "v1", kind: "Secret", metadata, stringData });
  }

  /** Creates a service, and makes its name and address reachable. */
  async #serve(service: ClusterObject): Promise<void> {
    const { metadata, spec } = await this.#create(service);
    if (spec.clusterIP !== "None")
      await this.#network.name(`${metadata.name}.${metadata.namespace}.svc`, spec.clusterIP);
    if (metadata.name === "berth-egress") this.#gateway = spec.clusterIP;
  }

  async #connectGateway(): Promise<void> {
    const host = await this.client.addressOf("egress");
    await this.#network.toPod(this.gateway, { host, port: GATEWAY_PORT });
  }
}

function valuesFor(cluster: TestCluster, place: string): Values {
  return {
    image: { ...SERVICE_IMAGE, pullPolicy: "Never" },
    database: { existingSecret: "berth-database" },
    secretKey: { existingSecret: "berth-key" },
    contents: { place, existingSecret: "berth-s3" },
    sandboxes: { image: cluster.image, storageClass: cluster.storageClass },
    api: { replicas: 1, preStopSeconds: 0 },
    runner: { replicas: 1 },
    egress: { replicas: 1 },
    settings: {
      egress_allow_private: `web.test:${WEB}`,
      session_disk_mb: "128",
      max_disk_mb: "256",
      sandbox_idle_seconds: "0",
    },
  };
}

/**
 * Installs the chart. @param cleanUp receives the functions that undo it; call them in reverse order, also
 * after a failure.
 */
export async function installRelease(cleanUp: (() => unknown)[]): Promise<InstalledRelease> {
  const { cluster, network, server, place } = await startSurroundings(cleanUp);
  const release = new InstalledRelease(cluster, network, server, place);
  await release.install();
  return release;
}
