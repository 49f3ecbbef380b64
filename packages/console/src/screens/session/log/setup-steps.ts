import type { EventOf } from "@berth/sdk";
import type { Row, SetupStep } from "./view.ts";

type SetupEvent = EventOf<
  | "session.environment_progress"
  | "session.resource_progress"
  | "session.resource_ready"
  | "session.runtimes_chosen"
  | "session.devcontainer_read"
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
  const none = { percent: null, seconds: null, commit: null, choice: null, note: null, failed: false };
  switch (event.type) {
    case "session.environment_progress":
      return { ...none, key: event.phase, kind: "environment", phase: event.phase, seconds: event.seconds };
    case "session.container_started":
      return { ...none, key: "container", kind: "container", phase: "container", seconds: event.seconds };
    case "session.runtimes_chosen":
      return {
        ...none,
        ...{ key: "runtimes_chosen", kind: "choice", phase: "runtimes_chosen", seconds: 0 },
        ...choiceText(event),
      };
    case "session.devcontainer_read":
      return {
        ...none,
        ...{ key: "devcontainer_read", kind: "choice", phase: "devcontainer_read", seconds: 0 },
        ...devcontainerText(event),
      };
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

/** Returns what was chosen, from which lines, and what is missing. */
function choiceText({
  runtimes,
  missing,
}: EventOf<"session.runtimes_chosen">): Pick<SetupStep, "choice" | "note" | "failed"> {
  const chosen = runtimes.map(
    ({ runtime, version, file, line }) => `${runtime} ${version} (${file}:${line})`,
  );
  const absent = missing.map(({ runtime, asked, file, line, available }) => {
    const instead = available.length === 0 ? "" : `; available: ${available.join(", ")}`;
    return `${runtime} ${asked} (${file}:${line}) is not available${instead}`;
  });
  return {
    choice: chosen.join(", ") || (absent.length === 0 ? "none that a repository asks for" : ""),
    note: absent.join(". ") || null,
    failed: absent.length > 0,
  };
}

/** Returns what is followed of a `devcontainer.json`, and what is not. */
function devcontainerText({
  error,
  honoured,
  not_honoured: not,
  image,
}: EventOf<"session.devcontainer_read">): Pick<SetupStep, "choice" | "note" | "failed"> {
  if (error !== null) return { choice: "", note: error, failed: true };
  const left = [...new Set(not.map(({ property }) => property))];
  return {
    choice: honoured.map((name) => (name === "image" ? `image ${image}` : name)).join(", ") || "nothing",
    note: left.length === 0 ? null : `not ${left.join(", ")}`,
    failed: false,
  };
}
