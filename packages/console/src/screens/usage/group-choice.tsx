import { Segments } from "../../ui/form-section.tsx";
import { GROUPINGS, type Grouping } from "./usage-search.ts";

/** Offers the choice of a report's grouping. */
export function GroupChoice({ by, onGroup }: { by: Grouping; onGroup: (by: Grouping) => void }) {
  return (
    <div className="max-w-full self-start overflow-x-auto">
      <Segments label="By" value={by} choices={GROUPINGS} onChange={onGroup} />
    </div>
  );
}
