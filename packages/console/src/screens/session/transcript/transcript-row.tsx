import type { ShownRow } from "../log/group-rows.ts";
import { CallRow } from "./call-row.tsx";
import { GroupRow } from "./group-row.tsx";
import { InputRow, PreviewRow, TextRow, ThinkingRow } from "./message-rows.tsx";
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
