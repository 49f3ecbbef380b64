import type { SideBySide } from "../tools/tool.ts";
import type { CallDecision } from "./authorize-call.ts";

/** What each of these calls knows of the others of the same tool, in their order. Its `begin` is also to be called when it has ended. */
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

/** Of each of these calls, when those before it that change files have ended, and what to call when it has ended itself. */
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

/** Empty for a call that does not run. */
function toolName(decision: CallDecision): string {
  return "errorText" in decision || !("tool" in decision) ? "" : decision.tool.name;
}
