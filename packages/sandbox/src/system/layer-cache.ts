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
import { changesOf, makeLayer } from "./make-layer.ts";
import { sweepLayers } from "./sweep-layers.ts";

const DAY_MS = 86_400_000;

export interface LayerRequest {
  /** Path of the root filesystem. */
  rootFilesystem: string;
  /** From the lowest to the highest. */
  plans: readonly LayerPlan[];
  /** Layers are shared within a tenant, and never between tenants. */
  tenant: string;
  /** Ends the wait. A build goes on for the others that wait for it. */
  signal: AbortSignal;
  onEgressDenied?: (denied: EgressDenied) => void;
  /** Called for each plan before its layer is looked up or built. */
  onLayer?: (plan: LayerPlan) => void;
}

export interface Layers {
  /** Host directories, from the lowest to the highest, up to the first that could not be built. Kept until `release`. */
  paths: string[];
  /** The first layer that could not be built; the ones above it were not tried. */
  failed: { plan: LayerPlan; failure: LayerFailure } | null;
  /** No sandbox uses them any more. A second call has no effect. */
  release(): void;
}

export interface LayerCacheOptions {
  /** Only root may enter it. */
  directory: string;
  engine: SandboxEngine;
  limits?: LayerLimits;
  /** A layer that is not used for this long is evicted. Default: 14 days. */
  unusedMs?: number;
  /** Bytes that all layers may take; above it, the least recently used are evicted. Default: 20 GiB. */
  maxBytes?: number;
  /** Waits for a slot in which this tenant may build a layer; returns the function that frees it. Default: no limit. */
  acquire?: (tenant: string) => Promise<() => void>;
  log: (line: string) => void;
}

/**
 * The layers of this machine, in a directory that no other process uses.
 *
 * Requests for the same layer share one build. A layer has another name until it is complete. A layer that no open sandbox uses
 * is evicted when it was not used for long or when all layers take too much space; the next request builds it again.
 */
export class LayerCache {
  readonly #options: Required<LayerCacheOptions>;
  readonly #closing = new AbortController();
  /** Running builds, by layer name. */
  readonly #builds = new Map<string, Promise<LayerFailure | null>>();
  /** Number of open sandboxes that use a layer, by its name. */
  readonly #uses = new Map<string, number>();
  /** True once the engine was found to limit disks; until then each build tests it again. */
  #limitsDisks = false;

  constructor(options: LayerCacheOptions) {
    this.#options = {
      limits: DEFAULT_LAYER_LIMITS,
      unusedMs: 14 * DAY_MS,
      maxBytes: 20 * 1024 ** 3,
      acquire: async () => () => {},
      ...options,
    };
  }

  /** Rejects with the signal's reason, or with `SandboxError` once the cache is closed. */
  async prepare(request: LayerRequest): Promise<Layers> {
    const names: string[] = [];
    const layers: Layers = {
      paths: [],
      failed: null,
      release: () => {
        for (const name of names.splice(0)) this.#uses.set(name, (this.#uses.get(name) ?? 1) - 1);
      },
    };
    try {
      for (const plan of request.plans) {
        const name = layerName(request.tenant, [basename(request.rootFilesystem), ...names], plan);
        // Marked as used before the lookup, so that no sweep deletes it in between.
        this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
        names.push(name);
        request.onLayer?.(plan);
        const build = this.#buildOnce(name, plan, [...layers.paths], request);
        const failure = await orAborted(build, request.signal);
        if (failure !== null) return { ...layers, failed: { plan, failure } };
        layers.paths.push(changesOf(join(this.#options.directory, name)));
      }
      return layers;
    } catch (error) {
      layers.release();
      throw error;
    }
  }

  /** Evicts layers, and deletes what a process that died has left. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { directory, unusedMs, maxBytes } = this.#options;
    const isBuilding = (name: string) => this.#builds.has(name);
    const isUsed = (name: string) => (this.#uses.get(name) ?? 0) > 0;
    await sweepLayers({ directory, unusedMs, maxBytes, isBuilding, isUsed }, signal);
  }

  /** Aborts all builds. */
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
      await utimes(path, new Date(), new Date());
      return null;
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
    if (signal.aborted) throw new SandboxError("no layer is built any more");
    log(`building a layer: ${plan.name}`);
    this.#limitsDisks ||= await limitsDisks(engine);
    if (!this.#limitsDisks)
      log("the size of a layer is only measured while it is built: this machine cannot limit disks");
    const reporting = onEgressDenied ? { onEgressDenied } : {};
    const build = { path, plan, system, limits, limited: this.#limitsDisks, signal, ...reporting };
    const failure = await makeLayer(engine, build).catch((error) => this.#hostFailure(error));
    if (signal.aborted) throw new SandboxError("no layer is built any more");
    const outcome = failure === null ? "is ready" : `could not be built: ${failure.why}`;
    log(`the layer ${plan.name} ${outcome}`);
    return failure;
  }

  /** A full disk of the host, or a sandbox that cannot be opened, is not the session's fault: it works without the layer. */
  #hostFailure(error: unknown): LayerFailure {
    const { cause } = error as { cause?: unknown };
    this.#options.log(`a layer could not be built: ${error}${cause === undefined ? "" : ` (${cause})`}`);
    return { why: "this machine could not do it", output: "" };
  }
}
