import { formatSlot } from "../../format/time.ts";
import { Until, useNow } from "../../ui/moment.tsx";
import type { ScheduleForm } from "./schedule-form.ts";
import { upcomingRuns } from "./upcoming-runs.ts";

/** Shows the next runs of a schedule that is being typed, or why it has none. */
export function NextRuns({ schedule }: { schedule: ScheduleForm }) {
  const now = useNow();
  const found = upcomingRuns(schedule, now);
  if (found === null) return null;
  return (
    <div role="status" className="rounded-lg border border-line bg-panel px-3 py-2.5">
      {typeof found === "string" ? (
        <p className="wrap-anywhere text-muted">{found}</p>
      ) : (
        <>
          <h3 className="mb-1 font-medium">Next runs</h3>
          <ol aria-label="Next runs" className="flex flex-col gap-0.5">
            {found.map((at) => (
              <li key={at} className="flex justify-between gap-3 text-muted">
                {formatSlot(at, schedule.timezone.trim())} <Until at={at} className="text-faint" />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
