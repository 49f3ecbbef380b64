import { setTimeout as delay } from "node:timers/promises";
import type {
  CoreV1Api,
  CoreV1Event,
  CustomObjectsApi,
  KubeConfig,
  V1PersistentVolumeClaim,
  V1Pod,
} from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";
import { isStatus, orNull, unless } from "./api-status.ts";
import type { EntryAttempts } from "./egress/gateway-network.ts";
import { type Library, loadClient } from "./load-client.ts";
import { patientApi, plainApi } from "./patient-api.ts";
import { type PodProcess, startProcess } from "./pod-process.ts";
import { throwRefusal } from "./refusal.ts";
import { watchPod } from "./watch-pod.ts";

/** One pod, of all that ever have its name. */
export interface PodId {
  name: string;
  uid: string;
}

/** Before the kubelet kills what ignores its request. Without such a time, a pod is gone before its processes are. */
const GRACE_SECONDS = 1;
const RETRY_MS = 100;

interface Notes {
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

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
    this.#api = patientApi(config.makeApiClient(library.CoreV1Api));
  }

  /**
   * @param kubeconfig Path of a file; null: the account of the pod in which this process runs.
   * @param namespace Null: the kubeconfig's, or that of the pod.
   */
  static async connect(kubeconfig: string | null, namespace: string | null): Promise<Cluster> {
    const { library, config } = await loadClient(kubeconfig);
    const context = config.getContextObject(config.getCurrentContext());
    return new Cluster(library, config, namespace ?? context?.namespace ?? "default");
  }

  /** Of the namespace; no other namespace of any cluster has it. Rejects at once when the API server is away. */
  async uid(): Promise<string> {
    const api = plainApi(this.#config.makeApiClient(this.#library.CoreV1Api));
    const { metadata } = await api.readNamespace({ name: this.namespace });
    if (metadata?.uid === undefined) throw new SandboxError("the namespace has no uid");
    return metadata.uid;
  }

  /** Host and port of the API server, as this process reaches it. */
  get server(): [host: string, port: number] {
    const url = new URL(this.#config.getCurrentCluster()?.server ?? "https://kubernetes.default");
    return [url.hostname.replace(/^\[(.*)\]$/, "$1"), Number(url.port || 443)];
  }

  /** For the objects of extensions. */
  customObjects(): CustomObjectsApi {
    return patientApi(this.#config.makeApiClient(this.#library.CustomObjectsApi));
  }

  /** Whether this account may do that in the namespace. @param group of the API. Default: the core. */
  async may(verb: string, resource: string, group = ""): Promise<boolean> {
    const [name, subresource] = resource.split("/");
    const api = plainApi(this.#config.makeApiClient(this.#library.AuthorizationV1Api));
    const { status } = await api.createSelfSubjectAccessReview({
      body: {
        spec: {
          resourceAttributes: {
            namespace: this.namespace,
            verb,
            group,
            resource: name ?? "",
            ...(subresource === undefined ? {} : { subresource }),
          },
        },
      },
    });
    return status?.allowed === true;
  }

  async version(): Promise<string> {
    return (await this.#config.makeApiClient(this.#library.VersionApi).getCode()).gitVersion;
  }

  /**
   * Resolves when the API server would take a pod, which is not made.
   *
   * @throws RuntimeClassError when the cluster does not have its runtime class.
   */
  async tryPod(body: V1Pod): Promise<void> {
    await this.#api
      .createNamespacedPod({ namespace: this.namespace, body, dryRun: "All" })
      .catch(throwRefusal);
  }

  /**
   * Null when a pod of this name is there, unless a quota allows no other.
   *
   * @throws RuntimeClassError when the cluster does not have its runtime class; NoRoomError beyond a quota.
   */
  async createPod(body: V1Pod): Promise<PodId | null> {
    try {
      const { metadata } = await this.#api.createNamespacedPod({ namespace: this.namespace, body });
      return { name: metadata?.name ?? "", uid: metadata?.uid ?? "" };
    } catch (error) {
      if (isStatus(error, 409)) return null;
      return throwRefusal(error);
    }
  }

  async pod(name: string): Promise<V1Pod | null> {
    return await this.#api.readNamespacedPod({ name, namespace: this.namespace }).catch(orNull);
  }

  /** Changes labels and annotations of a pod that has some, as it was read. Null: it was changed since, or is gone. */
  async noteInPod({ metadata }: V1Pod, notes: Notes): Promise<V1Pod | null> {
    const { name = "", resourceVersion } = metadata ?? {};
    const body = [
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
      ...Object.entries(notes).flatMap(([kind, named]) =>
        Object.entries(named).map(([note, value]) => ({
          op: "add",
          path: `/metadata/${kind}/${note.replaceAll("~", "~0").replaceAll("/", "~1")}`,
          value,
        })),
      ),
    ];
    try {
      return await this.#api.patchNamespacedPod({ name, namespace: this.namespace, body });
    } catch (error) {
      if (isStatus(error, 404) || isStatus(error, 409)) return null;
      throw error;
    }
  }

  /**
   * Removes a pod as it was read. The node kills its processes, and until they are gone the pod is there; one of which no process is left
   * goes at once.
   *
   * @returns false when it was changed since.
   */
  async removePod({ metadata }: V1Pod, isEmpty: boolean): Promise<boolean> {
    const { name = "", uid, resourceVersion } = metadata ?? {};
    const gracePeriodSeconds = isEmpty ? 0 : GRACE_SECONDS;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const body = { gracePeriodSeconds, preconditions };
    try {
      await this.#api.deleteNamespacedPod({ name, namespace: this.namespace, body });
      return true;
    } catch (error) {
      if (isStatus(error, 404)) return true;
      if (isStatus(error, 409)) return false;
      throw error;
    }
  }

  async pods(labelSelector: string): Promise<V1Pod[]> {
    return (await this.#api.listNamespacedPod({ namespace: this.namespace, labelSelector })).items;
  }

  /** Whether another pod than this one runs. */
  async hasRunning(labelSelector: string, except: Pick<PodId, "uid">): Promise<boolean> {
    const { items } = await this.#api.listNamespacedPod({
      namespace: this.namespace,
      labelSelector,
      fieldSelector: "status.phase=Running",
      limit: 2,
    });
    return items.some(({ metadata }) => metadata?.uid !== except.uid);
  }

  /** What the scheduler and the kubelet say of a pod; nothing where the account may not read that. */
  async eventsOf({ uid }: PodId): Promise<CoreV1Event[]> {
    const fieldSelector = `involvedObject.uid=${uid}`;
    const listed = await this.#api
      .listNamespacedEvent({ namespace: this.namespace, fieldSelector })
      .catch(unless(403));
    return listed?.items ?? [];
  }

  async claim(name: string): Promise<V1PersistentVolumeClaim | null> {
    return await this.#api
      .readNamespacedPersistentVolumeClaim({ name, namespace: this.namespace })
      .catch(orNull);
  }

  async claims(labelSelector: string): Promise<V1PersistentVolumeClaim[]> {
    const listed = await this.#api.listNamespacedPersistentVolumeClaim({
      namespace: this.namespace,
      labelSelector,
    });
    return listed.items;
  }

  /** False when a claim of this name is there, unless a quota allows no other. @throws NoRoomError beyond a quota. */
  async createClaim(body: V1PersistentVolumeClaim): Promise<boolean> {
    return await this.#api.createNamespacedPersistentVolumeClaim({ namespace: this.namespace, body }).then(
      () => true,
      (error: unknown) => {
        if (isStatus(error, 409)) return false;
        return throwRefusal(error);
      },
    );
  }

  async resizeClaim(name: string, bytes: number): Promise<void> {
    await this.#api.patchNamespacedPersistentVolumeClaim({
      name,
      namespace: this.namespace,
      body: [{ op: "replace", path: "/spec/resources/requests/storage", value: String(bytes) }],
    });
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
  async watchPod<T>(name: string, abort: AbortSignal, seen: (pod: V1Pod) => T | null): Promise<T> {
    while (!abort.aborted) {
      const watch = new this.#library.Watch(this.#config);
      const found = await watchPod(watch, { namespace: this.namespace, name }, abort, seen);
      if (found !== null) return found;
      // An API server that is away, or refuses, ends each watch at once.
      await delay(RETRY_MS, undefined, { signal: abort }).catch(() => {});
    }
    throw new SandboxError("the pod did not start in time");
  }

  /**
   * Starts a process in a container as soon as that runs. The node tells only each second what runs, so it is tried before: often at
   * first, and then after each further tenth of the time, since many pods that start at once have little of their node.
   *
   * @throws the reason of the signal once it aborts.
   */
  async execSoon(
    pod: string,
    container: string,
    command: readonly string[],
    attempts: EntryAttempts,
  ): Promise<PodProcess> {
    const { signal } = attempts;
    let began = performance.now();
    for (;;) {
      try {
        return await this.exec(pod, container, command);
      } catch {
        const waited = (performance.now() - began) / 10;
        await delay(Math.max(RETRY_MS, waited), undefined, { signal }).catch(() => signal.throwIfAborted());
        const asked = performance.now();
        await attempts.held?.();
        signal.throwIfAborted();
        if (performance.now() - asked > RETRY_MS) began = performance.now();
      }
    }
  }

  async exec(pod: string, container: string, command: readonly string[]): Promise<PodProcess> {
    return await startProcess(new this.#library.Exec(this.#config), this.namespace, {
      pod,
      container,
      command,
    });
  }
}
