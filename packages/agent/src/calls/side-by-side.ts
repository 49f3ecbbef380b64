import type { SideBySide } from "../tools/tool.ts";
import type { CallDecision } from "./authorize-call.ts";

/**
 * Returns for each call what it knows of the other calls of the same tool, in order. `begin` must also be
 * called when the call has ended.
 */
export function sideBySide(decisions: readonly CallDecision[]): SideBySide[] {
  const last = new Map<string, { index: number; begun: Promise<void> }>();
  const all = decisions.map((decision, index) => {
    const name = toolName(decision);
    const { promise, resolve } = Promise.withResolvers<void>();
    const earlierBegun = last.get(name)?.begun ?? Promise.resolve();
    last.set(name, { index, begun: earlierBegun.then(() => promise) });
    return { name, earlierBegun, begin: resolve };
  });
  return all.map(({ name, ...rest }, index) => ({ ...rest, hasLater: last.get(name)?.index !== index }));
}

/**
 * Returns for each call a promise that earlier calls that change files have ended, and the function to call
 * when it has ended itself.
 */
export function changesBefore(
  decisions: readonly CallDecision[],
): { ended: Promise<unknown>; end: () => void }[] {
  let before: Promise<unknown> = Promise.resolve();
  return decisions.map((decision) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = before;
    if (changesFiles(decision)) before = Promise.all([before, promise]);
    return { ended, end: resolve };
  });
}

function changesFiles(decision: CallDecision): boolean {
  return "tool" in decision && decision.tool?.changesFiles === true;
}

/** Returns an empty string for a call that does not run. */
function toolName(decision: CallDecision): string {
  return "errorText" in decision || !("tool" in decision) ? "" : decision.tool.name;
}
