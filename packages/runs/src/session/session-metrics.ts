import type { GapParts } from "@berth/agent";
import { type ModelUsage, NO_USAGE, TOOL_NAMES } from "@berth/contract";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { SaveResult } from "../disks/saves/save-workspace.ts";
import type { SandboxKind } from "../workspace/opening.ts";

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

const SHORT_SECONDS = [
  0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.05, 0.1, 0.5, 1, 10, 60,
];

/** The models as metrics see them. */
export interface MeasuredModels {
  /** Returns whether the model has series of its own. */
  listed(id: string): boolean;
  /** Returns US dollars by the list price, or null if that is not known. */
  cost(id: string, usage: ModelUsage): number | null;
}

/** A worker as its metrics see it. */
export interface MeasuredWorker {
  /** Returns the number of sessions that it holds. */
  held(): number;
  turnSlots(): { taken: number; free: number };
}

const NO_MODELS: MeasuredModels = { listed: () => true, cost: () => null };

/**
 * Metrics of the sessions of this runner. Labels are Berth's own words and listed models of the installation:
 * nothing that a user or a model writes can add a series.
 */
export class SessionMetrics {
  readonly #registers: Registry[];
  readonly #models: MeasuredModels;
  readonly #turns;
  readonly #waits;
  readonly #requests;
  readonly #firstParts;
  readonly #gaps;
  readonly #tokens;
  readonly #costs;
  readonly #calls;
  readonly #opens;
  readonly #saves;
  readonly #savedBytes;
  readonly #restores;
  readonly #events;
  readonly #lost;

  constructor(registry = new Registry(), models = NO_MODELS) {
    this.#registers = [registry];
    this.#models = models;
    this.#turns = this.#histogram("turn", "Duration of a turn, by outcome.", ["outcome"]);
    this.#waits = this.#histogram("turn_wait", "Time that a turn waited for a slot.", []);
    this.#requests = this.#histogram("model_request", "Duration of a request to a model.", [
      "model",
      "error",
    ]);
    this.#firstParts = this.#histogram(
      "model_first_token",
      "Time from a request to the first part of the model's response.",
      ["model"],
    );
    this.#gaps = this.#histogram(
      "model_request_gap",
      "Time from a response to the request with its results, by consecutive part.",
      ["part"],
      SHORT_SECONDS,
    );
    this.#calls = this.#histogram("tool_call", "Duration of a tool call.", ["tool", "error"]);
    this.#opens = this.#histogram(
      "sandbox_open",
      "Time that opening a sandbox took, by disk: new, from the pool of warm sandboxes, or resumed.",
      ["kind"],
    );
    this.#saves = this.#histogram(
      "workspace_save",
      "Time that saving a session's workspace took, by outcome.",
      ["outcome"],
    );
    this.#restores = this.#histogram(
      "workspace_restore",
      "Time that creating a disk from a saved workspace took, by outcome.",
      ["outcome"],
    );
    this.#savedBytes = this.#counter(
      "workspace_saved_bytes",
      "Bytes of saved workspaces that were stored.",
      [],
    );
    this.#tokens = this.#counter("model_tokens", "Tokens, by model and kind.", ["model", "kind"]);
    this.#costs = this.#counter(
      "model_cost_dollars",
      "Cost of tokens in US dollars at the list price, by model; absent for models without a list price.",
      ["model"],
    );
    this.#lost = this.#counter("leases_lost", "Sessions whose lease the runner lost.", []);
    this.#events = this.#counter(
      "session_incidents",
      "Events of sessions: errors by type, reclaimed disks and denied connections by reason.",
      ["incident", "reason"],
    );
  }

  turnEnded(outcome: string, seconds: number): void {
    this.#turns.observe({ outcome }, seconds);
  }

  turnWaited(seconds: number): void {
    this.#waits.observe(seconds);
  }

  firstPartCame(modelId: string, seconds: number): void {
    this.#firstParts.observe({ model: this.#modelLabel(modelId) }, seconds);
  }

  gapEnded(parts: GapParts): void {
    for (const [part, milliseconds] of Object.entries(parts))
      this.#gaps.observe({ part }, milliseconds / 1_000);
  }

  /** @param usage null when the request failed. */
  modelRequestEnded(modelId: string, seconds: number | null, usage: ModelUsage | null): void {
    const model = this.#modelLabel(modelId);
    const cost = usage && this.#models.cost(modelId, usage);
    if (cost !== null) this.#costs.inc({ model }, cost);
    if (seconds !== null) this.#requests.observe({ model, error: `${usage === null}` }, seconds);
    // These tokens are part of another kind and would count twice.
    const { cache_creation_1h_input_tokens: _, ...kinds } = usage ?? NO_USAGE;
    for (const [name, count] of Object.entries(kinds))
      if (count > 0) this.#tokens.inc({ model, kind: name.replace(/_tokens$/, "") }, count);
  }

  toolCallEnded(tool: string, seconds: number, isError: boolean): void {
    this.#calls.observe({ tool, error: `${isError}` }, seconds);
  }

  sandboxOpened(kind: SandboxKind, seconds: number): void {
    this.#opens.observe({ kind }, seconds);
  }

  workspaceSaved({ outcome, bytes }: SaveResult, seconds: number): void {
    this.#saves.observe({ outcome }, seconds);
    if (bytes > 0) this.#savedBytes.inc(bytes);
  }

  workspaceRestored(outcome: string, seconds: number): void {
    this.#restores.observe({ outcome }, seconds);
  }

  leaseLost(): void {
    this.#lost.inc();
  }

  incident(incident: "error" | "reclaimed" | "egress_denied", reason: string): void {
    this.#events.inc({ incident, reason });
  }

  /** @param ready returns how many sandboxes can be taken, while this runner keeps the pool. */
  watchPool(ready: () => number): void {
    new Gauge({
      name: "berth_warm_sandboxes",
      help: "Sandboxes of the pool that are ready for a session; only on the runner that keeps the pool.",
      registers: this.#registers,
      collect() {
        this.set(ready());
      },
    });
  }

  watch(worker: MeasuredWorker): void {
    const registers = this.#registers;
    new Gauge({
      name: "berth_runner_sessions",
      help: "Sessions that the runner holds.",
      registers,
      collect() {
        this.set(worker.held());
      },
    });
    new Gauge({
      name: "berth_turn_slots",
      help: "Slots for turns, by state.",
      labelNames: ["state"],
      registers,
      collect() {
        for (const [state, count] of Object.entries(worker.turnSlots())) this.set({ state }, count);
      },
    });
  }

  /** Returns a model's label. Models that are not listed share one, since an agent may have any model. */
  #modelLabel(id: string): string {
    return this.#models.listed(id) ? id : "other";
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets = SECONDS,
  ): Histogram<Label> {
    const registers = this.#registers;
    return new Histogram({ name: `berth_${name}_seconds`, help, labelNames, buckets, registers });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `berth_${name}_total`, help, labelNames, registers: this.#registers });
  }
}

/** Returns the label of a tool: the name of one of Berth's, the kind of any other. */
export function toolLabel(type: string, name: string): string {
  if (type === "agent.mcp_tool_use") return "mcp";
  if (type === "agent.custom_tool_use") return "custom";
  return TOOL_NAMES.find((known) => known === name) ?? "unknown";
}
