import type { Health } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { formatCount } from "../../format/numbers.ts";
import { formatSeconds } from "../../format/time.ts";
import { Panel } from "./panel.tsx";

const STATES = [
  { status: "running", label: "Running", fill: "fill-info" },
  { status: "rescheduling", label: "Rescheduling", fill: "fill-warn" },
  { status: "idle", label: "Idle", fill: "fill-chart-2" },
  { status: "terminated", label: "Terminated", fill: "fill-line-strong" },
] as const;

/** Shows the sessions by status, as a bar and as numbers that link to them. */
export function SessionStates({ sessions }: { sessions: Health["sessions"] }) {
  const total = STATES.reduce((sum, { status }) => sum + sessions[status], 0);
  let from = 0;
  const parts = STATES.map(({ status, fill }) => {
    const width = total === 0 ? 0 : (sessions[status] / total) * 100;
    from += width;
    return { status, fill, x: from - width, width };
  });
  return (
    <Panel title="Sessions">
      <svg
        viewBox="0 0 100 2"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="mb-3 h-2 w-full rounded-full"
      >
        <rect width="100" height="2" className="fill-selected" />
        {parts.map(({ status, fill, x, width }) => (
          <rect key={status} x={x} width={width} height="2" className={fill} />
        ))}
      </svg>
      <dl className="grid grid-cols-2 gap-x-6">
        {STATES.map(({ status, label, fill }) => (
          <div key={status} className="flex h-8 items-center gap-2">
            <svg viewBox="0 0 8 8" aria-hidden="true" className="size-2">
              <rect width="8" height="8" rx="2" className={fill} />
            </svg>
            <dt className="flex-1 text-muted">
              {status === "idle" ? (
                label
              ) : (
                <Link
                  to="/sessions"
                  search={{ state: status === "terminated" ? status : "running" }}
                  className="hover:text-ink hover:underline"
                >
                  {label}
                </Link>
              )}
            </dt>
            <dd className="font-medium tabular">{formatCount(sessions[status])}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 border-t border-line pt-3 text-muted">
        {sessions.due === 0
          ? "No session waits for a runner."
          : `${formatCount(sessions.due)} wait for a runner, the first for ${formatSeconds(sessions.due_seconds)}.`}
      </p>
    </Panel>
  );
}
