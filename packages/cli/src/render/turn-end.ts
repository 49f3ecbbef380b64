import type { EventOf, ModelUsage, StopReason } from "@berth/sdk";
import type { Palette } from "../terminal/palette.ts";
import { duration, tokens } from "../terminal/quantities.ts";
import { addUsage, noUsage } from "./usage.ts";

const ENDINGS: Record<Exclude<StopReason["type"], "budget_reached">, string> = {
  end_turn: "done",
  cancelled: "interrupted",
  retries_exhausted: "gave up: the model did not respond",
  refusal: "the model refused",
  requires_action: "waiting for you",
  max_turns: "stopped: the limit of model requests was reached",
};

/** The budgets that stop a session. */
const BUDGETS: Record<Extract<StopReason, { type: "budget_reached" }>["scope"], string> = {
  session: "its budget",
  user: "the spend limit of its user",
  user_day: "the spend limit of its user for today",
  organization: "the spend limit of its organization",
  organization_day: "the spend limit of its organization for today",
};

function endingOf(reason: StopReason): string {
  if (reason.type !== "budget_reached") return ENDINGS[reason.type] ?? reason.type;
  return `stopped: ${BUDGETS[reason.scope] ?? "a budget"} was reached`;
}

/** Collects the duration and tokens of a turn for the line at its end. */
export class TurnEnd {
  readonly #palette: Palette;
  #began: string | null = null;
  #usage: ModelUsage = noUsage;

  constructor(palette: Palette) {
    this.#palette = palette;
  }

  begin(at: string): void {
    this.#began = at;
    this.#usage = noUsage;
  }

  spend(usage: ModelUsage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Returns how the turn ended, with its duration and tokens. */
  line({ created_at, stop_reason: reason }: EventOf<"session.status_idle">): string {
    const { green, yellow, red, dim } = this.#palette;
    const { type } = reason;
    const style =
      type === "end_turn" ? green : type === "cancelled" || type === "requires_action" ? yellow : red;
    const seconds = this.#began === null ? null : (Date.parse(created_at) - Date.parse(this.#began)) / 1000;
    const facts = [
      ...(seconds === null ? [] : [duration(seconds)]),
      ...(this.#usage === noUsage ? [] : [tokens(this.#usage)]),
    ];
    return style(endingOf(reason)) + dim(facts.map((fact) => ` · ${fact}`).join(""));
  }
}
