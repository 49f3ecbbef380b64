import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import { type GroupRow as GroupRowData, groupWords } from "../log/group-rows.ts";
import { RowFrame } from "./row-frame.tsx";

/** Shows consecutive calls on one line that opens. */
export function GroupRow({ row, onToggle }: { row: GroupRowData; onToggle: (group: string) => void }) {
  const { tools, failed } = groupWords(row);
  return (
    <RowFrame row={row}>
      <button
        type="button"
        aria-expanded={row.open}
        onClick={() => onToggle(row.id)}
        className="flex h-9 w-full items-center gap-2 rounded-lg border border-line bg-panel px-3 text-left text-muted hover:bg-hover"
      >
        <Icon name={row.open ? "chevronDown" : "chevronRight"} />
        <span className="font-medium whitespace-nowrap text-ink">
          {formatPlural(row.calls.length, "call")}
        </span>
        <span className="min-w-0 flex-1 truncate text-xs">{showUnseen(tools)}</span>
        {failed > 0 && <span className="text-xs whitespace-nowrap text-bad">{failed} failed</span>}
      </button>
    </RowFrame>
  );
}
