import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import { type GroupRow as GroupRowData, groupWords, type ShownRow } from "../log/group-rows.ts";
import { CallRow } from "./call-row.tsx";
import { InputRow, PreviewRow, TextRow, ThinkingRow } from "./message-rows.tsx";
import { RowFrame } from "./row-frame.tsx";
import { DeniedRow, EndRow, NoticeRow, RetriesRow, SetupRow } from "./state-rows.tsx";

export function TranscriptRow({ row, onToggle }: { row: ShownRow; onToggle: (group: string) => void }) {
  switch (row.kind) {
    case "input":
      return <InputRow row={row} />;
    case "text":
      return <TextRow row={row} />;
    case "thinking":
      return <ThinkingRow row={row} />;
    case "preview":
      return <PreviewRow row={row} />;
    case "group":
      return <GroupRow row={row} onToggle={onToggle} />;
    case "call":
      return <CallRow row={row} />;
    case "setup":
      return <SetupRow row={row} />;
    case "denied":
      return <DeniedRow row={row} />;
    case "retries":
      return <RetriesRow row={row} />;
    case "notice":
      return <NoticeRow row={row} />;
    case "end":
      return <EndRow row={row} />;
  }
}

/** Estimates the height of a row before it is rendered, in pixels. */
export function estimateHeight(row: ShownRow): number {
  switch (row.kind) {
    case "input":
      return 110;
    case "text":
    case "preview":
      return 40 + Math.min(1_500, Math.ceil(row.text.length / 90) * 24);
    case "call":
      return row.result === null ? 60 : 150;
    case "end":
      return 48;
    default:
      return 46;
  }
}

/** Shows consecutive calls on one line that opens. */
function GroupRow({ row, onToggle }: { row: GroupRowData; onToggle: (group: string) => void }) {
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
