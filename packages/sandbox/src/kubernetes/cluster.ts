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

/** Identifies one pod; its name alone may be used again. */
export interface PodId {
  name: string;
  uid: string;
}

/**
 * Seconds until the kubelet kills processes that ignore SIGTERM. With 0, the pod object would vanish before
 * its processes end.
 */
const GRACE_SECONDS = 1;
const RETRY_MS = 100;

interface Notes {
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** Calls to the API server of a cluster, for sandboxes in one namespace. */
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
   * Connects to a cluster. Rejects with `SandboxError` when its address or account is unusable.
   *
   * @param kubeconfig Path of a file; null for the service account of this process's pod.
   * @param namespace Null for the namespace of the kubeconfig or of this process's pod.
   */
  static async connect(kubeconfig: string | null, namespace: string | null): Promise<Cluster> {
    const { library, config } = await loadClient(kubeconfig);
    const context = config.getContextObject(config.getCurrentContext());
    return new Cluster(library, config, namespace ?? context?.namespace ?? "default");
  }

  /**
   * Returns the uid of the namespace, which is unique among all clusters. Rejects at once when the API server
   * is unreachable.
   */
  async uid(): Promise<string> {
    const api = plainApi(this.#config.makeApiClient(this.#library.CoreV1Api));
    const { metadata } = await api.readNamespace({ name: this.namespace });
    if (metadata?.uid === undefined) throw new SandboxError("the namespace has no uid");
    return metadata.uid;
  }

  /** Host and port at which this process reaches the API server. */
  get server(): [host: string, port: number] {
    const url = new URL(this.#config.getCurrentCluster()?.server ?? "https://kubernetes.default");
    return [url.hostname.replace(/^\[(.*)\]$/, "$1"), Number(url.port || 443)];
  }

  /** Returns the client for objects of API extensions. */
  customObjects(): CustomObjectsApi {
    return patientApi(this.#config.makeApiClient(this.#library.CustomObjectsApi));
  }

  /**
   * Returns whether this account may do that in the namespace.
   *
   * @param group API group. Default: the core group.
   */
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
   * Resolves when the API server would accept the pod; a dry run, which creates nothing.
   *
   * @throws RuntimeClassError when the cluster does not have its runtime class; NoRoomError beyond a quota.
   */
  async tryPod(body: V1Pod): Promise<void> {
    await this.#api
      .createNamespacedPod({ namespace: this.namespace, body, dryRun: "All" })
      .catch(throwRefusal);
  }

  /**
   * Returns null when a pod of this name exists, unless a quota is exhausted: the API server checks that
   * first.
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

  /**
   * Changes labels and annotations of a pod that has both. Returns null when the pod changed since it was
   * read, or is gone.
   */
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
   * Deletes a pod unless it changed since it was read. The pod object remains until the node has killed its
   * processes; with `isEmpty`, it is removed at once.
   *
   * @returns false when the pod changed since it was read.
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

  /** Returns whether a pod other than `except` runs. */
  async hasRunning(labelSelector: string, except: Pick<PodId, "uid">): Promise<boolean> {
    const { items } = await this.#api.listNamespacedPod({
      namespace: this.namespace,
      labelSelector,
      fieldSelector: "status.phase=Running",
      limit: 2,
    });
    return items.some(({ metadata }) => metadata?.uid !== except.uid);
  }

  /**
   * Returns the events of the scheduler and the kubelet for a pod; none when the account may not read events.
   */
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

  /**
   * Returns false when a claim of this name exists, unless a quota is exhausted.
   *
   * @throws NoRoomError beyond a quota.
   */
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
   * Watches a pod until `seen` returns a value other than null, and returns that value.
   *
   * @throws what `seen` throws, and `SandboxError` when the pod is deleted or `abort` aborts.
   */
  async watchPod<T>(name: string, abort: AbortSignal, seen: (pod: V1Pod) => T | null): Promise<T> {
    while (!abort.aborted) {
      const watch = new this.#library.Watch(this.#config);
      const found = await watchPod(watch, { namespace: this.namespace, name }, abort, seen);
      if (found !== null) return found;
      // An API server that is unreachable or rejects the request ends each watch at once.
      await delay(RETRY_MS, undefined, { signal: abort }).catch(() => {});
    }
    throw new SandboxError("the pod did not start in time");
  }

  /**
   * Starts a process in a container as soon as the container runs. Kubelets report a running container only
   * once a second, so this retries without waiting for the report. The pause grows to a tenth of the time
   * waited, because many pods that start at once share little CPU time.
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
