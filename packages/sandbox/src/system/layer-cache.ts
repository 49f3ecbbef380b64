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
  /** Path of the system tree. */
  tree: string;
  /** From the lowest. */
  plans: readonly LayerPlan[];
  /** Who may have these layers in common; no others ever see them. */
  sharers: string;
  /** Ends the wait; what is being made goes on for others. */
  signal: AbortSignal;
  onEgressDenied?: (denied: EgressDenied) => void;
  /** Told each plan when its layer is looked for, and waited for where it is not there. */
  onLayer?: (plan: LayerPlan) => void;
}

export interface Layers {
  /** Host directories, from the lowest; as many as could be made. Kept until `release`. */
  paths: string[];
  /** The first that could not be made; those above it were not tried. */
  failed: { plan: LayerPlan; failure: LayerFailure } | null;
  /** Lets go of them; more often changes nothing. */
  release(): void;
}

/**
 * The layers of this machine, in one directory that one process has.
 *
 * Each is made once, whoever asks for it meanwhile; under another name until it is whole. One that no open sandbox needs goes
 * when it was not used for long or they take too much: it is made again when it is asked for.
 */
export interface LayerCache {
  /** Rejects with the signal's reason, and with `SandboxError` once the room is closed. */
  prepare(request: LayerRequest): Promise<Layers>;
  /** Removes what is not needed any more, and what a process that died has left. */
  sweep(signal?: AbortSignal): Promise<void>;
  /** Ends what is being made. */
  close(): Promise<void>;
}

export interface LayerCacheOptions {
  /** Only root may enter it. */
  directory: string;
  engine: SandboxEngine;
  limits?: LayerLimits;
  /** Unused for so long, a layer goes. Default 14 days. */
  unusedMs?: number;
  /** Bytes that all may take before the longest unused go. Default 20 GiB. */
  maxBytes?: number;
  /** Waits for a place for these sharers among those that make a layer at once; the answer gives it back. Default: all may. */
  enter?: (sharers: string) => Promise<() => void>;
  log: (line: string) => void;
}

export function openLayerCache(options: LayerCacheOptions): LayerCache {
  const { directory, engine, limits = DEFAULT_LAYER_LIMITS, enter = async () => () => {}, log } = options;
  const { unusedMs = 14 * DAY_MS, maxBytes = 20 * 1024 ** 3 } = options;
  const closing = new AbortController();
  const making = new Map<string, Promise<LayerFailure | null>>();
  const used = new Map<string, number>();
  /** Found once; until then it is tried each time. */
  let limited = false;

  async function prepare(request: LayerRequest): Promise<Layers> {
    const names: string[] = [];
    const layers: Layers = {
      paths: [],
      failed: null,
      release() {
        for (const name of names.splice(0)) used.set(name, (used.get(name) ?? 1) - 1);
      },
    };
    try {
      for (const plan of request.plans) {
        const name = layerName(request.sharers, [basename(request.tree), ...names], plan);
        // Held before it is looked for, so that no sweep takes it in between.
        used.set(name, (used.get(name) ?? 0) + 1);
        names.push(name);
        request.onLayer?.(plan);
        const failure = await orAborted(made(name, plan, [...layers.paths], request), request.signal);
        if (failure !== null) return { ...layers, failed: { plan, failure } };
        layers.paths.push(changesOf(join(directory, name)));
      }
      return layers;
    } catch (error) {
      layers.release();
      throw error;
    }
  }

  /** The one making of a layer. */
  function made(
    name: string,
    plan: LayerPlan,
    below: readonly string[],
    request: LayerRequest,
  ): Promise<LayerFailure | null> {
    const current =
      making.get(name) ?? makeUnlessThere(name, plan, below, request).finally(() => making.delete(name));
    making.set(name, current);
    current.catch(() => {});
    return current;
  }

  async function makeUnlessThere(
    name: string,
    plan: LayerPlan,
    below: readonly string[],
    request: LayerRequest,
  ): Promise<LayerFailure | null> {
    const path = join(directory, name);
    if (existsSync(path)) {
      await utimes(path, new Date(), new Date());
      return null;
    }
    const leave = await enter(request.sharers);
    try {
      return await make(path, plan, { tree: request.tree, layers: below }, request);
    } finally {
      leave();
    }
  }

  async function make(
    path: string,
    plan: LayerPlan,
    system: SystemLayers,
    { onEgressDenied }: LayerRequest,
  ): Promise<LayerFailure | null> {
    const { signal } = closing;
    if (signal.aborted) throw new SandboxError("no layer is made any more");
    log(`a layer is being made: ${plan.name}`);
    limited ||= await limitsDisks(engine);
    if (!limited) log("what making a layer takes is only counted: this machine cannot limit disks");
    const reporting = onEgressDenied ? { onEgressDenied } : {};
    const build = { path, plan, system, limits, limited, signal, ...reporting };
    const failure = await makeLayer(engine, build).catch(cannot);
    if (signal.aborted) throw new SandboxError("no layer is made any more");
    const outcome = failure === null ? "is ready" : `could not be made, as ${failure.why}`;
    log(`a layer ${outcome}: ${plan.name}`);
    return failure;
  }

  /** A full disk of the host, or a sandbox that could not be opened, is not the session's fault: it can do without the layer. */
  function cannot(error: unknown): LayerFailure {
    const { cause } = error as { cause?: unknown };
    log(`a layer could not be made: ${error}${cause === undefined ? "" : ` (${cause})`}`);
    return { why: "this machine could not do it", output: "" };
  }

  return {
    prepare,
    sweep: (signal) =>
      sweepLayers(
        {
          ...{ directory, unusedMs, maxBytes },
          isMaking: (name) => making.has(name),
          isUsed: (name) => (used.get(name) ?? 0) > 0,
        },
        signal,
      ),
    async close() {
      closing.abort();
      await Promise.allSettled(making.values());
    },
  };
}
