import type { EventOf } from "@berth/sdk";
import type { Row, SetupStep } from "./view.ts";

type SetupEvent = EventOf<
  | "session.environment_progress"
  | "session.resource_progress"
  | "session.resource_ready"
  | "session.container_started"
>;

type Draft = { rows: Row[]; open: { setup: number | null } };

/**
 * Adds a preparation step to the turn's row, or updates it in the row where it began. A turn that needs no
 * disk can end before a repository is ready.
 */
export function withSetup(
  draft: Draft,
  base: { id: string; at: string; turn: number },
  event: SetupEvent,
): void {
  const step = stepOf(event);
  const at = rowOf(draft, step.key);
  const row = draft.rows[at];
  if (row?.kind !== "setup") {
    draft.open.setup = draft.rows.length;
    draft.rows.push({ ...base, kind: "setup", steps: [step] });
    return;
  }
  const known = row.steps.some(({ key }) => key === step.key);
  const steps = known ? row.steps.map((one) => (one.key === step.key ? step : one)) : [...row.steps, step];
  draft.rows[at] = { ...row, steps };
}

/** Marks the step of a resource as failed. The error has a row of its own. */
export function failSetup(draft: Draft, resourceId: string): void {
  const at = rowOf(draft, resourceId);
  const row = draft.rows[at];
  if (row?.kind !== "setup") return;
  const steps = row.steps.map((step) => (step.key === resourceId ? { ...step, failed: true } : step));
  draft.rows[at] = { ...row, steps };
}

/** Returns the row in which the step is running, else the turn's row; -1 if there is neither. */
function rowOf({ rows, open }: Draft, key: string): number {
  const at = rows.findLastIndex(
    (row) =>
      row.kind === "setup" &&
      row.steps.some((step) => step.key === key && step.seconds === null && !step.failed),
  );
  return at === -1 ? (open.setup ?? -1) : at;
}

function stepOf(event: SetupEvent): SetupStep {
  const none = { percent: null, seconds: null, commit: null, note: null, failed: false };
  switch (event.type) {
    case "session.environment_progress":
      return { ...none, key: event.phase, kind: "environment", phase: event.phase, seconds: event.seconds };
    case "session.container_started":
      return { ...none, key: "container", kind: "container", phase: "container", seconds: event.seconds };
    case "session.resource_progress":
      return {
        ...none,
        key: event.resource_id,
        kind: "resource",
        phase: event.phase,
        percent: event.percent,
      };
    case "session.resource_ready": {
      const { resource_id: key, seconds, commit = null, note = null } = event;
      return { ...none, key, kind: "resource", phase: "ready", seconds, commit, note };
    }
  }
}
