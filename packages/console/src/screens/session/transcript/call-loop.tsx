import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { modelsQuery } from "../../../api/queries/models.ts";
import { inputTokens, listCost } from "../../../format/cost.ts";
import { formatDollars, formatPlural, formatShort } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { CallRow, CallLoop as Loop, Row } from "../log/view.ts";
import { useKept } from "./kept-state.ts";
import { TextRow, ThinkingRow } from "./message-rows.tsx";
import { NoticeRow, RetriesRow } from "./state-rows.tsx";

type Props = {
  id: string;
  loop: Loop;
  /** Renders a call of the loop. */
  children: (call: CallRow) => ReactNode;
};

/** Shows the work and cost of a call's own loop, on one line that opens. */
export function CallLoop({ id, loop, children }: Props) {
  const [open, setOpen] = useKept(`${id} loop`, false);
  const { data: models } = useQuery(modelsQuery);
  const { calls, usage } = loop.view.current;
  const cost = listCost(usage, models?.find((model) => model.id === loop.model)?.price);
  const facts = [
    `${formatShort(inputTokens(usage))} in, ${formatShort(usage.output_tokens)} out`,
    ...(cost === null ? [] : [formatDollars(cost)]),
    ...(loop.model === null ? [] : [showUnseen(loop.model)]),
  ];
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-8 w-full items-center gap-2 px-3 text-left text-xs text-muted -outline-offset-2 hover:bg-hover"
      >
        <Icon name={open ? "chevronDown" : "chevronRight"} />
        <span className="font-medium whitespace-nowrap">{formatPlural(calls, "call")}</span>
        <span className="min-w-0 flex-1 truncate tabular">{facts.join(" · ")}</span>
      </button>
      {open && (
        <ol aria-label="What it did" className="flex flex-col gap-2 border-t border-line bg-panel px-3 py-3">
          {loop.view.rows.map((row) => (
            <li key={row.id}>{row.kind === "call" ? children(row) : <OtherRow row={row} />}</li>
          ))}
        </ol>
      )}
    </div>
  );
}

function OtherRow({ row }: { row: Row }) {
  switch (row.kind) {
    case "text":
      return <TextRow row={row} />;
    case "thinking":
      return <ThinkingRow row={row} />;
    case "retries":
      return <RetriesRow row={row} />;
    case "notice":
      return <NoticeRow row={row} />;
    default:
      return null;
  }
}
