import { type ModelUsage, parentCallOf, type SessionEvent } from "@berth/sdk";
import { tokens } from "../terminal/quantities.ts";
import { addUsage, noUsage } from "./usage.ts";

interface Loop {
  calls: number;
  usage: ModelUsage;
}

/** Totals of the loops that calls run themselves. Events of these loops have no lines of their own. */
export class CallLoops {
  readonly #loops = new Map<string, Loop>();

  /** Handles an event of a loop. Returns false for other events. */
  take(event: SessionEvent): boolean {
    const parent = parentCallOf(event);
    if (parent === null) return false;
    const { calls, usage } = this.#loops.get(parent) ?? { calls: 0, usage: noUsage };
    const used = event.type === "span.model_request_end" ? event.model_usage : null;
    this.#loops.set(parent, {
      calls: calls + (event.type === "agent.tool_use" ? 1 : 0),
      usage: used === null ? usage : addUsage(usage, used),
    });
    return true;
  }

  /**
   * Returns and forgets the summary of a call's loop, such as `3 calls · 12,345 tokens in, 678 out`. Returns
   * null for a call without a loop.
   */
  end(call: string): string | null {
    const loop = this.#loops.get(call);
    if (loop === undefined) return null;
    this.#loops.delete(call);
    return `${loop.calls} ${loop.calls === 1 ? "call" : "calls"} · ${tokens(loop.usage)}`;
  }
}
