import type { UsageReport } from "@berth/sdk";
import { JsonView } from "../../ui/json-view.tsx";
import { GroupChoice } from "./group-choice.tsx";
import type { Grouping } from "./usage-search.ts";

type Props = { report: UsageReport; by: Grouping; onGroup: (by: Grouping) => void };

/** Shows the report as the API returns it. */
export function UsageJson({ report, by, onGroup }: Props) {
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
      <GroupChoice by={by} onGroup={onGroup} />
      <JsonView value={report} />
    </div>
  );
}
