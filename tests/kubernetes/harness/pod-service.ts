import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "node:test";
import { CoreV1Api, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { type AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { startPostgres } from "../../postgres-server/postgres-server.ts";
import type { TestCluster } from "./test-cluster.ts";

export type Role = "api" | "runner" | "egress";

/**
 * A service in its roles, with pods of a cluster as sandboxes. Each role is a process of this machine with
 * its own data directory.
 */
export class PodService {
  readonly core: CoreV1Api;
  readonly #cluster: TestCluster;
  readonly #root: string;
  readonly #url: string;
  readonly #started: Berth[] = [];
  /** What the runners and gateways logged. */
  #log = "";
  readonly #stopPostgres: () => Promise<void>;
  #settings: object = {};
  #api: Api | undefined;
  #clientOf: (...words: string[]) => Promise<Api> = () =>
    Promise.reject(new Error("the API was not started"));

  private constructor(cluster: TestCluster, root: string, url: string, stopPostgres: () => Promise<void>) {
    this.#cluster = cluster;
    this.#root = root;
    this.#url = url;
    this.#stopPostgres = stopPostgres;
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    this.core = config.makeApiClient(CoreV1Api);
  }

  /** Starts the database. The roles are started one by one. */
  static async prepare(cluster: TestCluster): Promise<PodService> {
    const root = mkdtempSync(join(tmpdir(), "berth-kubernetes-"));
    mkdirSync(join(root, "blobs"));
    writeFileSync(join(root, "secret.key"), randomBytes(32).toString("base64"), { mode: 0o600 });
    const postgres = await startPostgres({ databases: ["berth"] });
    return new PodService(cluster, root, postgres.url("berth"), () => postgres.stop());
  }

  /** Sets the settings of all roles that start later, by their keys in a settings file. */
  set(settings: object): void {
    this.#settings = settings;
  }

  /**
   * Starts a role. @param dataDir the directory of a stopped service, whose leases it keeps; a new one by
   * default.
   */
  async start(
    role: Role,
    settings: Record<string, string> = {},
    dataDir = join(this.#root, `${role}-${this.#started.length}`),
  ): Promise<Berth> {
    mkdirSync(dataDir, { mode: 0o700, recursive: true });
    const own = { BERTH_CONFIG: this.#settingsFile(), BERTH_ROLE: role, ...settings };
    const log = (text: string) => {
      if (role !== "api") this.#log += text;
    };
    const berth = await Berth.start({ dataDir, settings: own, log });
    this.#started.push(berth);
    return berth;
  }

  /** Starts the API, and returns a client of an administrator. */
  async startApi(): Promise<Api> {
    const service = await this.start("api");
    this.#clientOf = async (...words) =>
      new Api(service.url, await service.command("bootstrap", ...words, "--config", this.#settingsFile()));
    this.#api = await this.#clientOf("--user", "ada@example.com", "--role", "admin");
    return this.#api;
  }

  /** Returns what the runners and gateways logged since the last call, such as why a sandbox ended. */
  takeLog(): string {
    const log = this.#log;
    this.#log = "";
    return log;
  }

  /** Returns a client of another user. @param organization the same by default. */
  async client(user: string, organization?: string): Promise<Api> {
    const words = organization === undefined ? [] : ["--org", organization];
    return await this.#clientOf("--user", user, ...words);
  }

  get api(): Api {
    if (this.#api === undefined) throw new Error("the API was not started");
    return this.#api;
  }

  /** Returns the pods of one session, or of all sessions. */
  async pods(session?: string): Promise<V1Pod[]> {
    return await this.#podsBy(
      session === undefined ? "berth.epoch,berth.owner!=pool" : `berth.sandbox=${session}`,
    );
  }

  /** Returns the warm pods, which no session has yet. */
  async warmPods(): Promise<V1Pod[]> {
    return await this.#podsBy("berth.owner=pool");
  }

  /** Returns the names of all disks whose volume is to be kept. */
  async disks(): Promise<string[]> {
    const { namespace } = this.#cluster;
    const labelSelector = "berth.disk";
    const { items } = await this.core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector });
    return items
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata?.annotations?.["berth.disk-name"] ?? "");
  }

  async #podsBy(labelSelector: string): Promise<V1Pod[]> {
    return (await this.core.listNamespacedPod({ namespace: this.#cluster.namespace, labelSelector })).items;
  }

  /** Returns the output of `berth doctor` for a runner, even if a check fails. */
  async doctor(): Promise<string> {
    const words = ["doctor", "--config", this.#settingsFile({ role: "runner" }, "doctor.yaml")];
    const [service] = this.#started;
    if (service === undefined) throw new Error("no service was started");
    return await service.command(...words).catch(({ stdout }) => stdout);
  }

  /** Resolves when the session, or by default every session, has no pod. */
  async parked(session?: string): Promise<void> {
    let left: V1Pod[] = [];
    await waitUntil(
      async () => {
        left = await this.pods(session);
        return left.length === 0;
      },
      () => `pods are left: ${left.map(({ metadata }) => metadata?.name)}`,
    );
  }

  async lostDisks(session: string): Promise<number> {
    const path = `/sessions/${session}/events?types[]=session.container_reclaimed`;
    return ((await this.api.ok("GET", path)) as AnyJson).data.length;
  }

  async close(): Promise<void> {
    for (const berth of this.#started.reverse()) await berth.kill("SIGTERM");
    await this.#stopPostgres();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Writes a settings file as JSON, which is valid YAML. */
  #settingsFile(more: object = {}, name = "berth.yaml"): string {
    const { kubeconfig, namespace, image, storageClass } = this.#cluster;
    const path = join(this.#root, name);
    const settings = {
      role: "api",
      database_url: this.#url,
      blobs: join(this.#root, "blobs"),
      secret_key_file: join(this.#root, "secret.key"),
      runner_address: "127.0.0.1:0",
      sandbox: "kubernetes",
      kubeconfig,
      kubernetes_namespace: namespace,
      kubernetes_image: image,
      ...(storageClass === null ? {} : { kubernetes_storage_class: storageClass }),
      session_disk_mb: 128,
      sandbox_idle_seconds: 0,
      host_grace_seconds: 4,
      ...this.#settings,
      ...more,
    };
    writeFileSync(path, JSON.stringify(settings), { mode: 0o600 });
    return path;
  }
}

/** Prints after each failed test of the file what the runners and gateways logged during it. */
export function printLogOfFailures(service: () => PodService | undefined): void {
  afterEach((context) => {
    const log = service()?.takeLog();
    if ("passed" in context && !context.passed) console.log(log);
  });
}
