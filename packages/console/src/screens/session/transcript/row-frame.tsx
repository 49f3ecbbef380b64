import type { ReactNode } from "react";
import { formatClock, formatMoment } from "../../../format/time.ts";
import { cx } from "../../../ui/cx.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { ShownRow } from "../log/group-rows.ts";
import { useSession } from "../scope/session-context.ts";

type Props = { row: ShownRow; children: ReactNode; className?: string };

/** Shows a row with the time of its event, which links to it. */
export function RowFrame({ row, children, className }: Props) {
  const { showEvent } = useSession();
  return (
    <div className={cx("group/row relative min-w-0", className)}>
      {children}
      {row.at !== "" && row.kind !== "group" && (
        <a
          href={`?event=${row.id}`}
          onClick={(click) => {
            if (click.metaKey || click.ctrlKey || click.shiftKey) return;
            click.preventDefault();
            showEvent(row.id);
          }}
          title={`${formatMoment(row.at)}: link to this event`}
          className="absolute -top-2.5 right-3 flex h-5 items-center gap-1 rounded-full border border-line bg-raised px-2 text-xs text-muted tabular opacity-0 group-hover/row:opacity-100 hover:text-ink focus-visible:opacity-100"
        >
          <Icon name="link" className="size-3" />
          {formatClock(row.at)}
        </a>
      )}
    </div>
  );
}
