import {
  type Allowance,
  affordableOutput,
  LeaseLost,
  MIN_OUTPUT_TOKENS,
  type Spending,
  type WorstCase,
  worstCost,
} from "@berth/agent";
import { sleep } from "@berth/concurrency";
import { type BudgetScope, parseId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { OwnerLimits } from "@berth/store/limits";
import type { RequestCharges } from "./request-charges.ts";
import { reserveSpend } from "./reserve-spend.ts";

/** Milliseconds between two looks at whether other requests have released what they did not need. */
const WAIT_MS = 250;

export interface SpendingDeps {
  db: { write: Queryable };
  limits: OwnerLimits;
}

/** The session whose requests are held to budgets. Uuids. */
export interface SpendingSession {
  organizationId: string;
  ownerId: string;
  hasBudget: boolean;
}

/** Holds the requests of a session to its budget, and to the limits of its user and organization. */
export class SessionSpending implements Spending {
  readonly #deps: SpendingDeps;
  readonly #lease: Lease;
  readonly #session: SpendingSession;
  readonly #charges: RequestCharges;

  constructor(deps: SpendingDeps, lease: Lease, session: SpendingSession, charges: RequestCharges) {
    this.#deps = deps;
    this.#lease = lease;
    this.#session = session;
    this.#charges = charges;
  }

  async reserve(worst: WorstCase, signal: AbortSignal): Promise<Allowance> {
    const { requestId, price } = worst;
    const scope = await this.#anyScope();
    if (scope !== null && price === null) return { reached: scope };
    if (scope === null || price === null) {
      this.#charges.begin(requestId, price, false);
      return {};
    }
    const input = worst.inputTokens();
    const wanted = {
      requestId: parseId("event", requestId) ?? "",
      worst: worstCost(price, input, worst.outputTokens),
      least: worstCost(price, input, Math.min(worst.outputTokens, MIN_OUTPUT_TOKENS)),
    };
    for (;;) {
      const { db, limits } = this.#deps;
      const { granted, scope, waits } = await reserveSpend(db.write, limits, this.#lease, wanted);
      if (granted !== null) {
        this.#charges.begin(requestId, price, true);
        return { outputTokens: affordableOutput(price, input, granted, worst.outputTokens) };
      }
      if (!waits) return { reached: scope };
      if (!(await slept(signal))) return null;
    }
  }

  unbilled(requestId: string): void {
    this.#charges.unbilled(requestId);
  }

  /** Returns the scope of a budget that applies; null without any. */
  async #anyScope(): Promise<BudgetScope | null> {
    const { organizationId, ownerId, hasBudget } = this.#session;
    if (hasBudget) return "session";
    const kind = ownerId === organizationId ? ("organization" as const) : ("user" as const);
    const owner = { organizationId, kind, id: ownerId };
    const { limits } = this.#deps;
    const [inAll] = await limits.of(owner, "spend_cents");
    if (inAll !== undefined) return inAll.kind === "organization" ? "organization" : "user";
    const [daily] = await limits.of(owner, "spend_cents_per_day");
    if (daily === undefined) return null;
    return daily.kind === "organization" ? "organization_day" : "user_day";
  }
}

/** Returns false when the wait was aborted. @throws LeaseLost when it was aborted with it. */
async function slept(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(WAIT_MS, signal);
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (signal.aborted) return false;
    throw error;
  }
}
