/**
 * Summarizes a message of steps for the rehearsal model, such as `Rehearsal in 3 steps: say, Bash, 2 at
 * once`. Returns null for any other message. The steps themselves are printed as they run.
 */
export function rehearsalLine(message: string): string | null {
  const steps = stepsOf(message.replace(/^\s*```json\n([\s\S]*)\n```\s*$/, "$1"));
  if (steps === null) return null;
  const number = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  return `Rehearsal in ${number}: ${steps.map(nameOf).join(", ")}`;
}

function stepsOf(text: string): Record<string, unknown>[] | null {
  try {
    const { steps } = JSON.parse(text) as { steps?: unknown };
    const isList =
      Array.isArray(steps) && steps.length > 0 && steps.every((step) => step && typeof step === "object");
    return isList ? steps : null;
  } catch {
    return null;
  }
}

function nameOf(step: Record<string, unknown>): string {
  if (typeof step.tool === "string") return step.tool;
  if (Array.isArray(step.tools)) return `${step.tools.length} at once`;
  return ["say", "fail", "wait_ms"].find((kind) => kind in step)?.replace("_ms", "") ?? "step";
}
