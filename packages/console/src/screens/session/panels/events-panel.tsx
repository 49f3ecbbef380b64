import type { SessionEvent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState } from "react";
import { formatPlural } from "../../../format/numbers.ts";
import { formatClock } from "../../../format/time.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { CallPanel } from "../../../ui/call-panel.tsx";
import { CopyId } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Input } from "../../../ui/field.tsx";
import { JsonView } from "../../../ui/json-view.tsx";
import { downloadBlob } from "../../../ui/text-viewer.tsx";
import { useSession } from "../scope/session-context.ts";

type Props = {
  events: readonly SessionEvent[];
  /** The number of events: `events` grows in place. */
  count: number;
};

/** Shows the stored log: each event in order, with its JSON. */
export function EventsPanel({ events, count }: Props) {
  const { session, showEvent } = useSession();
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<string | null>(null);
  const [showsCall, setShowsCall] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the events grow in place, and the count tells it
  const shown = useMemo(() => filtered(events, filter), [events, count, filter]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 32,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: 12,
  });
  const download = () =>
    downloadBlob(
      new Blob(
        shown.map((event) => `${JSON.stringify(event)}\n`),
        { type: "application/jsonl" },
      ),
      `${session.id}.jsonl`,
    );
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-2 border-b border-line px-4 py-2">
        <Input
          aria-label="Filter by type or text"
          placeholder="Filter by type or text"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className="h-7"
        />
        <span className="text-xs whitespace-nowrap text-faint tabular">
          {formatPlural(shown.length, "event")}
        </span>
        <IconButton icon="code" label="CLI and curl commands" onClick={() => setShowsCall(true)} />
        <IconButton icon="download" label="Download as JSON lines" onClick={download} />
      </div>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const event = shown[item.index];
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {event !== undefined && (
                  <EventLine event={event} open={open === event.id} onToggle={setOpen} onShow={showEvent} />
                )}
              </div>
            );
          })}
        </div>
      </div>
      <Dialog
        open={showsCall}
        onClose={() => setShowsCall(false)}
        title="CLI and curl commands"
        size="medium"
      >
        <CallPanel
          call={{
            operation: operations.events.list,
            params: { session_id: session.id },
            query: { limit: 100 },
          }}
          className="mb-4"
        />
      </Dialog>
    </div>
  );
}

type LineProps = {
  event: SessionEvent;
  open: boolean;
  onToggle: (id: string | null) => void;
  onShow: (id: string) => void;
};

const EventLine = memo(function EventLine({ event, open, onToggle, onShow }: LineProps) {
  return (
    <div className="border-b border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => onToggle(open ? null : event.id)}
        className="flex h-8 w-full items-center gap-2 px-4 text-left text-xs -outline-offset-2 hover:bg-hover"
      >
        <span className="text-faint tabular">{formatClock(event.created_at)}</span>
        <span className="font-mono whitespace-nowrap">{event.type}</span>
        <span className="min-w-0 flex-1 truncate text-faint">{showUnseen(briefOf(event))}</span>
      </button>
      {open && (
        <div className="flex flex-col gap-2 px-4 pb-3">
          <div className="flex items-center justify-between">
            <CopyId id={event.id} />
            <Button size="small" look="quiet" onClick={() => onShow(event.id)}>
              Show in the transcript
            </Button>
          </div>
          <JsonView value={event} />
        </div>
      )}
    </div>
  );
});

function filtered(events: readonly SessionEvent[], filter: string): readonly SessionEvent[] {
  const words = filter.trim().toLowerCase();
  if (words === "") return events.slice();
  return events.filter(
    (event) => event.type.includes(words) || JSON.stringify(event).toLowerCase().includes(words),
  );
}

function briefOf(event: SessionEvent): string {
  if ("content" in event)
    return event.content
      .map((block) => ("text" in block ? block.text : block.type))
      .join(" ")
      .slice(0, 200);
  if ("input" in event) return JSON.stringify(event.input).slice(0, 200);
  if (event.type === "session.error") return event.error.message;
  return event.type === "session.status_idle" ? event.stop_reason.type : "";
}
