import { mkdir, readdir, rm } from "node:fs/promises";
import { basename } from "node:path";
import { thisProcess } from "@berth/linux";
import { rgPath } from "@vscode/ripgrep";
import { COMMAND_SCRIPTS } from "../commands/supervisor.ts";
import { freshDirectory, isLeftover, removeAll } from "../host/leftovers.ts";
import { OpenSandboxes } from "../host/open-sandboxes.ts";
import { writePrograms } from "../inside/programs.ts";
import { writeSharedEtc } from "../inside/write-etc.ts";
import { type Capability, yes } from "../interface/capability.ts";
import { SandboxError } from "../interface/errors.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { perlText } from "../scripts/read-script.ts";
import { Cluster } from "./cluster.ts";
import { INSTANCE, OWNER, SANDBOX } from "./pod-body.ts";
import { type PodHost, startPod } from "./start-pod.ts";

export interface KubernetesOptions {
  /** Stable id of the installation; a label of its pods. */
  instance: string;
  /** Path of a kubeconfig; null: the account of the pod in which this process runs. */
  kubeconfig: string | null;
  namespace: string;
  /** Image of the sandboxes that name none. */
  defaultImage: string;
  /** Image of the container beside the sandbox: it has sh, tar and perl. Default: `defaultImage`. */
  serverImage?: string;
  /** Default: `IfNotPresent`. */
  imagePullPolicy?: string;
  /** Of the volumes. Default: the cluster's own. */
  storageClass?: string | null;
  /** What a disk whose spec has no limit asks for. */
  diskBytes: number;
  stateDir: string;
  certificates: string[];
  programs?: Readonly<Record<string, string>>;
  log?: (line: object) => void;
}

const PIPE_SERVER = perlText("kubernetes/pipe-server.pl");

/** An engine whose sandboxes are pods of a Kubernetes cluster. */
export async function createKubernetesEngine(options: KubernetesOptions): Promise<SandboxEngine> {
  const cluster = await Cluster.connect(options.kubeconfig, options.namespace);
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const directory = await freshDirectory(`${options.stateDir}/${thisProcess()}`);
  await Promise.all([
    writeSharedEtc(`${directory}/etc`, options.certificates),
    writePrograms(`${directory}/programs`, options.programs ?? {}, rgPath),
    writePrograms(`${directory}/commands`, { ...COMMAND_SCRIPTS, "pipe-server": PIPE_SERVER }, null),
  ]);
  return new KubernetesEngine(options.stateDir, {
    cluster,
    instance: options.instance,
    owner: basename(directory),
    directory,
    defaultImage: options.defaultImage,
    serverImage: options.serverImage ?? options.defaultImage,
    imagePullPolicy: options.imagePullPolicy ?? "IfNotPresent",
    storageClass: options.storageClass ?? null,
    diskBytes: options.diskBytes,
    log: options.log ?? (() => {}),
  });
}

class KubernetesEngine implements SandboxEngine {
  readonly name = "kubernetes";
  readonly #stateDir: string;
  readonly #host: PodHost;
  readonly #open = new OpenSandboxes();
  #count = 0;

  constructor(stateDir: string, host: PodHost) {
    this.#stateDir = stateDir;
    this.#host = host;
  }

  async probe(): Promise<Capability[]> {
    return [yes("cluster", `Sandboxes are pods in the namespace ${this.#host.cluster.namespace}.`)];
  }

  open(spec: SandboxSpec): Promise<Sandbox> {
    return this.#open.open(spec, () => this.#openNow(spec));
  }

  async diskBytes(): Promise<null> {
    return null;
  }

  async takeChanges(): Promise<boolean> {
    throw new SandboxError("pods run images, not system trees");
  }

  async takeSnapshotChanges(): Promise<boolean> {
    throw new SandboxError("pods mount no snapshots");
  }

  async sweep(mayLive: (id: string) => boolean = () => true): Promise<string[]> {
    const closed = await this.#open.closeRejected(mayLive);
    const { cluster, instance } = this.#host;
    const pods = await cluster.pods(`${INSTANCE}=${instance}`);
    await removeAll([
      ...pods.map(async ({ metadata }) => {
        const { [OWNER]: owner = "", [SANDBOX]: sandbox = "" } = metadata?.labels ?? {};
        if (this.#isLeftover(owner, sandbox)) await cluster.removePod(metadata?.name ?? "");
      }),
      ...(await readdir(this.#stateDir).catch(() => [])).map(async (name) => {
        if (isLeftover(name, false)) await rm(`${this.#stateDir}/${name}`, { recursive: true, force: true });
      }),
    ]);
    return closed;
  }

  async close(): Promise<void> {
    for (const reason of await this.#open.close())
      this.#host.log({ msg: "a sandbox could not be closed", error: String(reason) });
    await rm(this.#host.directory, { recursive: true, force: true });
  }

  #isLeftover(owner: string, sandbox: string): boolean {
    if (owner === this.#host.owner) return !this.#open.has(sandbox);
    return isLeftover(owner, false);
  }

  async #openNow(spec: SandboxSpec): Promise<Sandbox> {
    const undo: (() => Promise<unknown>)[] = [];
    const directory = `${this.#host.directory}/${(++this.#count).toString(36)}`;
    const released = () => this.#open.free(spec.id);
    try {
      undo.push(() => rm(directory, { recursive: true, force: true }));
      return await startPod(this.#host, spec, directory, undo, released);
    } catch (error) {
      for (const step of undo.reverse()) await step().catch(() => undefined);
      throw error;
    }
  }
}
