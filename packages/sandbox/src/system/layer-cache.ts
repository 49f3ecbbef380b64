import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { orAborted } from "@berth/concurrency";
import type { EgressDenied } from "@berth/egress";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { SystemLayers } from "../interface/spec.ts";
import type { LayerFailure } from "./build-layer.ts";
import { DEFAULT_LAYER_LIMITS, type LayerLimits, limitsDisks } from "./layer-limits.ts";
import { type LayerPlan, layerName } from "./layer-plan.ts";
import { changesOf, makeLayer, partOf } from "./make-layer.ts";
import { removeLayer, sweepLayers } from "./sweep-layers.ts";

const DAY_MS = 86_400_000;

export interface LayerRequest {
  /** Path of the root filesystem. */
  rootFilesystem: string;
  /** Plans of the layers, from the lowest to the highest. */
  plans: readonly LayerPlan[];
  /** Layers are shared within a tenant, and never between tenants. */
  tenant: string;
  /** Ends the wait of this request. The build continues for other requests that wait for it. */
  signal: AbortSignal;
  onEgressDenied?: (denied: EgressDenied) => void;
  /** Called for each plan before its layer is looked up or built. */
  onLayer?: (plan: LayerPlan) => void;
}

export interface FailedPlan {
  plan: LayerPlan;
  failure: LayerFailure;
}

export interface Layers {
  /** Host directories from the lowest layer up to the first that could not be built. Kept until `release`. */
  paths: string[];
  /** The first layer that could not be built; higher ones were not tried. Null when all were built. */
  failed: FailedPlan | null;
  /** Layers of `paths` that have only a part of what their plans install. */
  partial: FailedPlan[];
  /** Allows the layers to be evicted; call it when no sandbox uses them. A second call has no effect. */
  release(): void;
}

export interface LayerCacheOptions {
  /** Host directory of the layers, which only root may enter. */
  directory: string;
  engine: SandboxEngine;
  limits?: LayerLimits;
  /** Milliseconds after which an unused layer is evicted. Default: 14 days. */
  unusedMs?: number;
  /** Milliseconds after which a layer that has a part of its plan is built again. Default: an hour. */
  partialMs?: number;
  /** Bytes of all layers together above which the least recently used are evicted. Default: 20 GiB. */
  maxBytes?: number;
  /**
   * Waits for a slot in which this tenant may build a layer; returns the function that frees it. Default: no
   * limit.
   */
  acquire?: (tenant: string) => Promise<() => void>;
  log: (line: string) => void;
}

/**
 * The layers of this machine, in a directory that no other process uses.
 *
 * Requests for the same layer share one build. An incomplete layer has another name. A layer without users is
 * evicted when it was unused for long, or when all layers take too much space. The next request builds it
 * again.
 */
export class LayerCache {
  readonly #options: Required<LayerCacheOptions>;
  readonly #closing = new AbortController();
  /** Running builds, by layer name. */
  readonly #builds = new Map<string, Promise<LayerFailure | null>>();
  /** Number of open sandboxes that use a layer, by layer name. */
  readonly #uses = new Map<string, number>();
  /** Whether the engine was found to limit disks; until then each build tests it again. */
  #limitsDisks = false;

  constructor(options: LayerCacheOptions) {
    this.#options = {
      limits: DEFAULT_LAYER_LIMITS,
      unusedMs: 14 * DAY_MS,
      partialMs: DAY_MS / 24,
      maxBytes: 20 * 1024 ** 3,
      acquire: async () => () => {},
      ...options,
    };
  }

  /**
   * Returns the layers, and builds missing ones. Rejects with the signal's reason, or with `SandboxError`
   * once the cache is closed.
   */
  async prepare(request: LayerRequest): Promise<Layers> {
    const names: string[] = [];
    const layers: Layers = {
      paths: [],
      failed: null,
      partial: [],
      release: () => {
        for (const name of names.splice(0)) this.#uses.set(name, (this.#uses.get(name) ?? 1) - 1);
      },
    };
    try {
      for (const plan of request.plans) {
        const name = layerName(request.tenant, [basename(request.rootFilesystem), ...names], plan);
        // Counted as used before the lookup, so that a concurrent sweep does not delete it.
        this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
        names.push(name);
        request.onLayer?.(plan);
        const build = this.#buildOnce(name, plan, [...layers.paths], request);
        const failure = await orAborted(build, request.signal);
        if (failure !== null && failure.missing === undefined)
          return { ...layers, failed: { plan, failure } };
        if (failure !== null) layers.partial.push({ plan, failure });
        layers.paths.push(changesOf(join(this.#options.directory, name)));
      }
      return layers;
    } catch (error) {
      layers.release();
      throw error;
    }
  }

  /** Evicts layers, and deletes unfinished builds of dead processes. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { directory, unusedMs, maxBytes } = this.#options;
    const isBuilding = (name: string) => this.#builds.has(name);
    const isUsed = (name: string) => (this.#uses.get(name) ?? 0) > 0;
    await sweepLayers({ directory, unusedMs, maxBytes, isBuilding, isUsed }, signal);
  }

  /** Aborts all builds and waits until they have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#builds.values());
  }

  #buildOnce(
    name: string,
    plan: LayerPlan,
    below: readonly string[],
    request: LayerRequest,
  ): Promise<LayerFailure | null> {
    const build =
      this.#builds.get(name) ??
      this.#buildUnlessCached(name, plan, below, request).finally(() => this.#builds.delete(name));
    this.#builds.set(name, build);
    build.catch(() => {});
    return build;
  }

  async #buildUnlessCached(
    name: string,
    plan: LayerPlan,
    below: readonly string[],
    request: LayerRequest,
  ): Promise<LayerFailure | null> {
    const path = join(this.#options.directory, name);
    if (existsSync(path)) {
      const partial = await partOf(path);
      const isAlone = this.#uses.get(name) === 1;
      if (partial === null || !isAlone || Date.now() - partial.since < this.#options.partialMs) {
        await utimes(path, new Date(), new Date());
        return partial?.failure ?? null;
      }
      await removeLayer(path);
    }
    const release = await this.#options.acquire(request.tenant);
    try {
      return await this.#build(
        path,
        plan,
        { rootFilesystem: request.rootFilesystem, layers: below },
        request,
      );
    } finally {
      release();
    }
  }

  async #build(
    path: string,
    plan: LayerPlan,
    system: SystemLayers,
    { onEgressDenied }: LayerRequest,
  ): Promise<LayerFailure | null> {
    const { engine, limits, log } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) throw new SandboxError("no more layers are built");
    log(`building a layer: ${plan.name}`);
    this.#limitsDisks ||= await limitsDisks(engine);
    if (!this.#limitsDisks)
      log("the size of a layer is only measured while it is built: this machine cannot limit disks");
    const reporting = onEgressDenied ? { onEgressDenied } : {};
    const build = { path, plan, system, limits, limited: this.#limitsDisks, signal, ...reporting };
    const failure = await makeLayer(engine, build).catch((error) => this.#hostFailure(error));
    if (signal.aborted) throw new SandboxError("no more layers are built");
    const outcome =
      failure === null
        ? "is ready"
        : failure.missing === undefined
          ? `could not be built: ${failure.why}`
          : `is ready without ${failure.missing.join(", ")}`;
    log(`the layer ${plan.name} ${outcome}`);
    return failure;
  }

  /**
   * Returns the failure for an error of the host, such as a full disk. The session then works without the
   * layer.
   */
  #hostFailure(error: unknown): LayerFailure {
    const { cause } = error as { cause?: unknown };
    this.#options.log(`a layer could not be built: ${error}${cause === undefined ? "" : ` (${cause})`}`);
    return { why: "this machine could not build it", output: "" };
  }
}
