import { PassThrough, type Readable, type Writable } from "node:stream";
import type { CoreV1Api, KubeConfig, V1Pod } from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";

type Library = typeof import("@kubernetes/client-node");

/** A process in a container of a pod. */
export interface PodProcess {
  input: Writable;
  output: Readable;
  /** The beginning of its standard error. */
  errors(): string;
  /** Null when the connection ended before the process. */
  exitCode: Promise<number | null>;
}

const MAX_ERROR_CHARACTERS = 2_000;

/** The calls to one namespace of a cluster's API server that sandboxes need. */
export class Cluster {
  readonly namespace: string;
  readonly #library: Library;
  readonly #config: KubeConfig;
  readonly #api: CoreV1Api;

  private constructor(library: Library, config: KubeConfig, namespace: string) {
    this.#library = library;
    this.#config = config;
    this.namespace = namespace;
    this.#api = config.makeApiClient(library.CoreV1Api);
  }

  /** @param kubeconfig Path of a file; null: the account of the pod in which this process runs. */
  static async connect(kubeconfig: string | null, namespace: string): Promise<Cluster> {
    const library = await import("@kubernetes/client-node");
    const config = new library.KubeConfig();
    try {
      if (kubeconfig === null) config.loadFromCluster();
      else config.loadFromFile(kubeconfig);
    } catch (error) {
      throw new SandboxError("the cluster's address and account cannot be read", { cause: error });
    }
    return new Cluster(library, config, namespace);
  }

  createPod(body: V1Pod): Promise<V1Pod> {
    return this.#api.createNamespacedPod({ namespace: this.namespace, body });
  }

  /** Kills a pod. Resolves also when it is gone already. */
  async removePod(name: string): Promise<void> {
    await this.#api
      .deleteNamespacedPod({ name, namespace: this.namespace, gracePeriodSeconds: 0 })
      .catch(unless(404));
  }

  async pods(labelSelector: string): Promise<V1Pod[]> {
    return (await this.#api.listNamespacedPod({ namespace: this.namespace, labelSelector })).items;
  }

  /** Makes the claim of a volume, unless there is one of this name. */
  async ensureClaim(
    body: Parameters<CoreV1Api["createNamespacedPersistentVolumeClaim"]>[0]["body"],
  ): Promise<void> {
    await this.#api
      .createNamespacedPersistentVolumeClaim({ namespace: this.namespace, body })
      .catch(unless(409));
  }

  async removeClaim(name: string): Promise<void> {
    await this.#api
      .deleteNamespacedPersistentVolumeClaim({ name, namespace: this.namespace })
      .catch(unless(404));
  }

  /**
   * Watches a pod until `seen` returns something else than null, and returns that.
   *
   * @throws what `seen` throws, and `SandboxError` when the pod is removed or the time is over.
   */
  async watchPod<T>(name: string, timeoutMs: number, seen: (pod: V1Pod) => T | null): Promise<T> {
    const abort = AbortSignal.timeout(timeoutMs);
    while (!abort.aborted) {
      const found = await this.#watchOnce(name, abort, seen);
      if (found !== null) return found;
    }
    throw new SandboxError("the pod did not start in time");
  }

  async #watchOnce<T>(name: string, abort: AbortSignal, seen: (pod: V1Pod) => T | null): Promise<T | null> {
    const result = Promise.withResolvers<T | null>();
    const look = (type: string, pod: V1Pod) => {
      if (type === "DELETED") return result.reject(new SandboxError("the pod was removed"));
      try {
        const found = seen(pod);
        if (found !== null) result.resolve(found);
      } catch (error) {
        result.reject(error);
      }
    };
    const controller = await new this.#library.Watch(this.#config).watch(
      `/api/v1/namespaces/${this.namespace}/pods`,
      { fieldSelector: `metadata.name=${name}` },
      look,
      () => result.resolve(null),
    );
    const stop = () => result.resolve(null);
    abort.addEventListener("abort", stop, { once: true });
    try {
      return await result.promise;
    } finally {
      abort.removeEventListener("abort", stop);
      controller.abort();
    }
  }

  async exec(pod: string, container: string, command: readonly string[]): Promise<PodProcess> {
    const [input, output, errorStream] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let errors = "";
    errorStream.setEncoding("utf8").on("data", (text: string) => {
      if (errors.length < MAX_ERROR_CHARACTERS) errors += text;
    });
    const exitCode = Promise.withResolvers<number | null>();
    const socket = await new this.#library.Exec(this.#config).exec(
      this.namespace,
      pod,
      container,
      [...command],
      output,
      errorStream,
      input,
      false,
      (status) => exitCode.resolve(exitCodeOf(status)),
    );
    socket.on("error", () => output.destroy());
    socket.on("close", () => {
      exitCode.resolve(null);
      output.destroy();
    });
    output.once("close", () => socket.close());
    return { input, output, errors: () => errors.trim(), exitCode: exitCode.promise };
  }
}

function exitCodeOf({
  status,
  details,
}: {
  status?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}): number {
  if (status === "Success") return 0;
  const cause = details?.causes?.find(({ reason }) => reason === "ExitCode");
  return Number(cause?.message ?? 1);
}

/** Lets an error of the API server with this status pass as no error. */
function unless(status: number): (error: unknown) => void {
  return (error) => {
    if ((error as { code?: unknown }).code !== status) throw error;
  };
}
