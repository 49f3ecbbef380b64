import { memo, type ReactNode } from "react";
import { type DiffHunk, type DiffLine, sideBySide } from "../format/diff-lines.ts";
import { formatCount } from "../format/numbers.ts";
import { showUnseen } from "../format/visible-text.ts";
import { cx } from "./cx.ts";

/** Longer lines are cut: the whole is in the file. In characters. */
const MAX_LINE = 2_000;

type Props = {
  hunks: readonly DiffHunk[];
  split?: boolean /** Without the lines that tell where a hunk lies. */;
  bare?: boolean;
};

const LINE_LOOKS = { same: "", added: "bg-added", removed: "bg-removed" } as const;
const MARK_LOOKS = { same: "", added: "bg-added-strong", removed: "bg-removed-strong" } as const;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** A change of one file, in one column or with old and new beside each other. */
export const DiffView = memo(function DiffView({ hunks, split = false, bare = false }: Props) {
  return (
    <div tabIndex={0} className="overflow-x-auto font-mono text-xs leading-5">
      <div className={cx("min-w-full", !split && "w-max")}>
        {hunks.map((hunk) => (
          <div key={hunk.header}>
            {!bare && (
              <div className="bg-info-soft/60 px-3 text-info select-none">{showUnseen(hunk.header)}</div>
            )}
            {split ? (
              <SplitLines lines={hunk.lines} />
            ) : (
              hunk.lines.map((line) => <UnifiedLine key={`${line.old} ${line.new}`} line={line} />)
            )}
          </div>
        ))}
      </div>
    </div>
  );
});

function UnifiedLine({ line }: { line: DiffLine }) {
  return (
    <div className={cx("flex", LINE_LOOKS[line.kind])}>
      <Numbered>{line.old}</Numbered>
      <Numbered>{line.new}</Numbered>
      <LineText line={line} />
    </div>
  );
}

function SplitLines({ lines }: { lines: readonly DiffLine[] }) {
  return sideBySide(lines).map(([left, right]) => (
    <div key={`${left?.old} ${right?.new}`} className="grid grid-cols-2">
      <Side line={left} number={left?.old} />
      <Side line={right} number={right?.new} />
    </div>
  ));
}

function Side({ line, number }: { line: DiffLine | null; number: number | null | undefined }) {
  return (
    <div
      className={cx(
        "flex min-w-0 border-r border-line last:border-r-0",
        line === null ? "bg-sunken" : LINE_LOOKS[line.kind],
      )}
    >
      <Numbered>{number}</Numbered>
      {line !== null && <LineText line={line} wraps />}
    </div>
  );
}

function Numbered({ children }: { children: ReactNode }) {
  return <span className="w-10 shrink-0 px-1.5 text-right text-faint select-none">{children}</span>;
}

function LineText({ line, wraps = false }: { line: DiffLine; wraps?: boolean }) {
  return (
    <>
      <span aria-hidden="true" className="w-4 shrink-0 text-center text-faint select-none">
        {SIGNS[line.kind]}
      </span>
      <span className={cx("pr-3", wraps ? "min-w-0 whitespace-pre-wrap break-all" : "whitespace-pre")}>
        {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
        {line.marks === null ? (
          showUnseen(line.text.slice(0, MAX_LINE))
        ) : (
          <Marked line={line} marks={line.marks} />
        )}
        {line.text.length > MAX_LINE && (
          <span className="text-faint"> … {formatCount(line.text.length)} characters</span>
        )}
        {line.text === "" && "\n"}
      </span>
    </>
  );
}

function Marked({ line, marks }: { line: DiffLine; marks: NonNullable<DiffLine["marks"]> }) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    pieces.push(showUnseen(line.text.slice(at, from)));
    pieces.push(
      <span key={from} className={cx("rounded-sm", MARK_LOOKS[line.kind])}>
        {showUnseen(line.text.slice(from, to))}
      </span>,
    );
    at = to;
  }
  pieces.push(showUnseen(line.text.slice(at)));
  return pieces;
}
