import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useShortcuts } from "../../../shell/shortcuts.ts";
import { IconButton } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { type GroupRow, groupRows, isInGroup, type ShownRow } from "../log/group-rows.ts";
import { findRows } from "../log/row-text.ts";
import type { SessionView } from "../log/view.ts";
import { Activity } from "./activity.tsx";
import { KeptState } from "./kept-state.ts";
import { markMatches } from "./mark-matches.ts";
import { Minimap } from "./minimap.tsx";
import { SearchBar } from "./search-bar.tsx";
import { estimateHeight, TranscriptRow } from "./transcript-row.tsx";

type Props = {
  view: SessionView;
  /** The id of the event that the address names. */
  event: string | undefined;
  /** Whether the whole log has arrived. If so, an event that is not among the rows does not exist. */
  complete: boolean;
  /** Content that is always shown below the rows. */
  children: ReactNode;
};

/** Shows the session's log as a transcript. Only the visible rows are in the document. */
export function Transcript({ view, event, complete, children }: Props) {
  const scroller = useRef<HTMLElement>(null);
  const kept = useRef(new Map<string, unknown>()).current;
  const [searching, setSearching] = useState(false);
  const { rows, toggle } = useShownRows(view, event, searching, kept);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 6,
    gap: 14,
    paddingStart: 20,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: 60,
  });
  const search = useSearch(rows, [searching, setSearching], (index) =>
    virtualizer.scrollToIndex(index, { align: "center" }),
  );
  useStartAtEnd(virtualizer, rows.length > 0 && event === undefined);
  useJumpToEvent(rows, event, complete, (index) => virtualizer.scrollToIndex(index, { align: "center" }));
  useTurnKeys(rows, virtualizer);
  const items = virtualizer.getVirtualItems();
  useEffect(() => {
    return markMatches(scroller.current, search.sought);
  });
  const total = virtualizer.getTotalSize();
  const offset = virtualizer.scrollOffset ?? 0;
  const height = virtualizer.scrollRect?.height ?? 0;
  const isAtEnd = offset + height >= total - 80;
  return (
    <KeptState value={kept}>
      <div className="flex min-h-0 flex-1">
        <div className="relative flex min-w-0 flex-1 flex-col">
          {search.open && <SearchBar {...search.bar} />}
          <section
            ref={scroller}
            aria-label="Transcript"
            tabIndex={0}
            className="relative min-h-0 flex-1 overflow-y-auto -outline-offset-2 [overflow-anchor:none]"
          >
            <div className="relative mx-auto w-full max-w-4xl" style={{ height: total }}>
              {items.map((item) => {
                const row = rows[item.index];
                return (
                  <div
                    key={item.key}
                    ref={virtualizer.measureElement}
                    data-index={item.index}
                    className="absolute inset-x-0 top-0 px-4 md:px-6"
                    style={{ transform: `translateY(${item.start}px)` }}
                  >
                    <div
                      className={cx(
                        "rounded-lg",
                        (row?.id === event || item.index === search.current) &&
                          "outline-2 outline-offset-4 outline-focus",
                      )}
                    >
                      {row !== undefined && <TranscriptRow row={row} onToggle={toggle} />}
                    </div>
                  </div>
                );
              })}
            </div>
            <Activity view={view} />
          </section>
          {!isAtEnd && (
            <div className="relative">
              <IconButton
                icon="arrowDown"
                label="Go to the end"
                keys="G"
                onClick={() => virtualizer.scrollToEnd()}
                className="popup absolute right-4 bottom-3 z-10 size-8 rounded-full!"
              />
            </div>
          )}
          {children}
        </div>
        <Minimap
          total={total}
          rows={rows}
          matches={search.matches}
          window={{ from: offset / total, to: (offset + height) / total }}
          onJump={(share) => virtualizer.scrollToOffset(share * total - height / 2)}
        />
      </div>
    </KeptState>
  );
}

/**
 * Returns the rows to show. A group is open if somebody opened it, if the address names one of its calls, or
 * while a search is active.
 */
function useShownRows(
  { rows, previews, status }: SessionView,
  event: string | undefined,
  searching: boolean,
  kept: Map<string, unknown>,
) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const working = status === "running" || status === "rescheduling";
  const shown = useMemo<readonly ShownRow[]>(() => {
    const isOpen = (group: GroupRow) =>
      searching || opened.has(group.id) || (event !== undefined && isInGroup(group, event));
    return [...groupRows(rows, working, isOpen), ...previews];
  }, [rows, previews, working, opened, searching, event]);
  const toggle = (id: string) => {
    const group = shown.find((row) => row.id === id);
    if (group?.kind !== "group") return;
    // In an opened group each call starts as a single line.
    for (const call of group.calls) if (!kept.has(`${call.id} open`)) kept.set(`${call.id} open`, false);
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  return { rows: shown, toggle };
}

function heightOf(row: ShownRow | undefined): number {
  return row === undefined ? 40 : estimateHeight(row);
}

type Virtual = ReturnType<typeof useVirtualizer<HTMLElement, Element>>;

/** Scrolls to the end once, when the session opens. */
function useStartAtEnd(virtualizer: Virtual, ready: boolean): void {
  const done = useRef(false);
  useLayoutEffect(() => {
    if (!ready || done.current) return;
    done.current = true;
    virtualizer.scrollToEnd();
  }, [ready, virtualizer]);
}

/** Scrolls to the row of an event, or to the row that contains it, such as the call of a result. */
function useJumpToEvent(
  rows: readonly ShownRow[],
  event: string | undefined,
  complete: boolean,
  jump: (index: number) => void,
): void {
  const done = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (event === undefined || done.current === event) return;
    const index = rows.findIndex((row) => isOf(row, event));
    if (index === -1 && !complete) return;
    done.current = event;
    if (index !== -1) jump(index);
  }, [rows, event, complete, jump]);
}

/** Whether a row shows the event, as its first event or as part of it. */
function isOf(row: ShownRow, event: string): boolean {
  if (row.id === event) return true;
  if (row.kind === "call")
    return (
      row.result?.id === event ||
      row.confirmation?.id === event ||
      row.loop?.view.rows.some((nested) => isOf(nested, event)) === true
    );
  if (row.kind === "denied") return row.denials.some(({ id }) => id === event);
  return row.kind === "retries" && row.failures.some(({ id }) => id === event);
}

/** Registers `j` and `k` for the next and the previous input. */
function useTurnKeys(rows: readonly ShownRow[], virtualizer: Virtual): void {
  const step = (by: 1 | -1) => {
    const top = virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + 24)?.index ?? 0;
    const inputs = rows.flatMap((row, index) => (row.kind === "input" ? [index] : []));
    const next = by === 1 ? inputs.find((index) => index > top) : inputs.findLast((index) => index < top);
    if (next !== undefined) virtualizer.scrollToIndex(next, { align: "start" });
    else virtualizer.scrollToIndex(by === 1 ? rows.length - 1 : 0, { align: by === 1 ? "end" : "start" });
  };
  useShortcuts([
    { keys: "j", label: "Next message", group: "Session", run: () => step(1) },
    { keys: "k", label: "Previous message", group: "Session", run: () => step(-1) },
    { keys: "G", label: "Go to the end", group: "Session", run: () => virtualizer.scrollToEnd() },
  ]);
}

function useSearch(
  rows: readonly ShownRow[],
  [open, setOpen]: [boolean, (open: boolean) => void],
  jump: (index: number) => void,
) {
  const [sought, setSought] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => (open ? findRows(rows, sought) : []), [rows, sought, open]);
  const matches = useMemo(() => new Set(found), [found]);
  useShortcuts([{ keys: "/", label: "Search in this session", group: "Session", run: () => setOpen(true) }]);
  const show = (next: number) => {
    const index = found[next];
    setAt(next);
    if (index !== undefined) jump(index);
  };
  const bar = {
    sought,
    onSeek: (text: string) => {
      setSought(text);
      setAt(0);
      const first = findRows(rows, text)[0];
      if (first !== undefined) jump(first);
    },
    count: found.length,
    at: Math.min(at, Math.max(0, found.length - 1)),
    onStep: (by: 1 | -1) => show((at + by + found.length) % Math.max(1, found.length)),
    onClose: () => setOpen(false),
  };
  return { open, sought: open ? sought : "", matches, current: open ? found[at] : undefined, bar };
}
