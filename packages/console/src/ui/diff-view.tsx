import { type KeyboardEvent, memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { type DiffHunk, type DiffLine, firstLines, sideBySide } from "../format/diff-lines.ts";
import { cutLine, type Token } from "../format/line-pieces.ts";
import { formatCount } from "../format/numbers.ts";
import { showUnseen } from "../format/visible-text.ts";
import { cx } from "./cx.ts";
import { highlight, languageOf } from "./highlight.ts";
import { Icon } from "./icon.tsx";

/** Characters after which a line is cut; the whole line is in the file. */
const MAX_LINE = 2_000;
/** Lines that are drawn at first, and with each press of the button. More would block the page. */
const STEP = 2_000;

type Props = {
  hunks: readonly DiffHunk[];
  /** The file's path, which selects the syntax colours. */
  path?: string;
  split?: boolean;
  /** Hides the hunk headers. */
  bare?: boolean;
  /** Makes the number of each line a button. */
  choice?: LineChoice | undefined;
};

export type LineChoice = {
  /** What the button does, before the name of its line: `Comment on`. */
  verb: string;
  choose: (line: DiffLine) => void;
  /** Whether a line has a mark at its number. */
  isMarked: (line: DiffLine) => boolean;
};

type LineProps = {
  line: DiffLine;
  tokens: readonly Token[] | undefined;
  choice: LineChoice | undefined;
};

const LINE_LOOKS = { same: "", added: "bg-added", removed: "bg-removed" } as const;
const MARK_LOOKS = { same: "", added: "bg-added-strong", removed: "bg-removed-strong" } as const;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/**
 * Shows the diff of one file, in one column or side by side. If lines can be chosen, the arrow keys move between
 * them, so that a long diff is one stop of the Tab key.
 */
export const DiffView = memo(function DiffView(props: Props) {
  const { hunks, path = "", split = false, bare = false, choice } = props;
  const [limit, setLimit] = useState(STEP);
  const { shown, left } = useMemo(() => firstLines(hunks, limit), [hunks, limit]);
  const tokens = useDiffTokens(shown, path);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has fields, and a section is a landmark */}
      <div
        role="group"
        aria-label={path === "" ? "Diff" : `Diff of ${showUnseen(path)}`}
        tabIndex={0}
        onKeyDown={choice && moveBetweenLines}
        className="overflow-x-auto font-mono text-xs leading-5"
      >
        <div className={cx("min-w-full", !split && "w-max")}>
          {shown.map((hunk) => (
            <div key={hunk.header}>
              {!bare && (
                <div className="bg-info-soft/60 px-3 text-info select-none">{showUnseen(hunk.header)}</div>
              )}
              {split ? (
                <SplitLines lines={hunk.lines} tokens={tokens} choice={choice} />
              ) : (
                hunk.lines.map((line) => (
                  <UnifiedLine
                    key={`${line.old} ${line.new}`}
                    line={line}
                    tokens={tokens.get(line)}
                    choice={choice}
                  />
                ))
              )}
            </div>
          ))}
        </div>
      </div>
      {left > 0 && (
        <button
          type="button"
          className="px-3 py-1.5 text-xs text-accent-text hover:underline"
          onClick={() => setLimit(limit + STEP)}
        >
          Show {formatCount(Math.min(left, STEP))} of {formatCount(left)} further lines
        </button>
      )}
    </>
  );
});

function moveBetweenLines(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const lines = [...event.currentTarget.querySelectorAll<Element>("button[data-line]")];
  const next = lines[lines.indexOf(document.activeElement ?? event.currentTarget) + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

function UnifiedLine({ line, tokens, choice }: LineProps) {
  return (
    <div className={cx("flex", LINE_LOOKS[line.kind])}>
      <Gutter line={line} choice={choice}>
        <Numbered>{line.old}</Numbered>
        <Numbered>{line.new}</Numbered>
      </Gutter>
      <LineText line={line} tokens={tokens} />
    </div>
  );
}

type SplitProps = {
  lines: readonly DiffLine[];
  tokens: ReadonlyMap<DiffLine, readonly Token[]>;
  choice: LineChoice | undefined;
};

function SplitLines({ lines, tokens, choice }: SplitProps) {
  return sideBySide(lines).map(([left, right]) => (
    <div key={`${left?.old} ${right?.new}`} className="grid grid-cols-2">
      <Side
        line={left}
        tokens={left ? tokens.get(left) : undefined}
        number={left?.old}
        choice={left?.kind === "removed" ? choice : undefined}
      />
      <Side line={right} tokens={right ? tokens.get(right) : undefined} number={right?.new} choice={choice} />
    </div>
  ));
}

type SideProps = {
  line: DiffLine | null;
  tokens: readonly Token[] | undefined;
  number: number | null | undefined;
  choice: LineChoice | undefined;
};

function Side({ line, tokens, number, choice }: SideProps) {
  return (
    <div
      className={cx(
        "flex min-w-0 border-r border-line last:border-r-0",
        line === null ? "bg-sunken" : LINE_LOOKS[line.kind],
      )}
    >
      {line === null ? (
        <Numbered>{number}</Numbered>
      ) : (
        <>
          <Gutter line={line} choice={choice}>
            <Numbered>{number}</Numbered>
          </Gutter>
          <LineText line={line} tokens={tokens} wraps />
        </>
      )}
    </div>
  );
}

type GutterProps = { line: DiffLine; choice: LineChoice | undefined; children: ReactNode };

/** Shows the numbers of a line, as a button if lines can be chosen. */
function Gutter({ line, choice, children }: GutterProps) {
  if (choice === undefined) return children;
  const isMarked = choice.isMarked(line);
  return (
    <button
      type="button"
      data-line
      tabIndex={-1}
      onClick={() => choice.choose(line)}
      className="group/line relative flex shrink-0 cursor-pointer -outline-offset-2 hover:bg-hover"
    >
      <span aria-hidden="true" className="flex">
        {children}
      </span>
      <span className="sr-only">
        {choice.verb} {nameOf(line)}
        {isMarked && ", which has one"}
      </span>
      <Icon
        name={isMarked ? "message" : "plus"}
        className={cx(
          "absolute top-0.5 left-0",
          isMarked
            ? "text-accent-text"
            : "opacity-0 group-hover/line:opacity-100 group-focus-visible/line:opacity-100",
        )}
      />
    </button>
  );
}

function nameOf({ kind, old, new: fresh }: DiffLine): string {
  return kind === "removed" ? `removed line ${old}` : `line ${fresh}`;
}

function Numbered({ children }: { children: ReactNode }) {
  return <span className="w-10 shrink-0 px-1.5 text-right text-faint select-none">{children}</span>;
}

type LineTextProps = Omit<LineProps, "choice"> & { wraps?: boolean };

function LineText({ line, tokens, wraps = false }: LineTextProps) {
  const text = line.text.slice(0, MAX_LINE);
  return (
    <>
      <span aria-hidden="true" className="w-4 shrink-0 text-center text-faint select-none">
        {SIGNS[line.kind]}
      </span>
      <span className={cx("pr-3", wraps ? "min-w-0 whitespace-pre-wrap break-all" : "whitespace-pre")}>
        {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
        {cutLine(text, tokens ?? [], line.marks ?? []).map(({ text: piece, name, marked }, index) => (
          <span
            key={index}
            className={
              marked ? cx("rounded-sm", MARK_LOOKS[line.kind]) : name === null ? undefined : `syntax-${name}`
            }
          >
            {showUnseen(piece)}
          </span>
        ))}
        {line.text.length > MAX_LINE && (
          <span className="text-faint"> … {formatCount(line.text.length)} characters</span>
        )}
        {line.text === "" && "\n"}
      </span>
    </>
  );
}

type Tokens = ReadonlyMap<DiffLine, readonly Token[]>;

const NONE: Tokens = new Map();

/** Returns the tokens of each line once the file's language has loaded; empty where the code stays plain. */
function useDiffTokens(hunks: readonly DiffHunk[], path: string): Tokens {
  const [found, setFound] = useState<{ hunks: readonly DiffHunk[]; tokens: Tokens } | null>(null);
  const language = languageOf(path);
  useEffect(() => {
    if (language === null) return;
    let current = true;
    tokensOf(hunks, language).then(
      (tokens) => current && setFound({ hunks, tokens }),
      () => undefined, // The code stays plain.
    );
    return () => {
      current = false;
    };
  }, [hunks, language]);
  return found?.hunks === hunks ? found.tokens : NONE;
}

/** Highlights the old and the new text of each hunk separately, since a change may end inside a comment. */
async function tokensOf(hunks: readonly DiffHunk[], language: string): Promise<Tokens> {
  const tokens = new Map<DiffLine, readonly Token[]>();
  for (const { lines } of hunks) {
    for (const other of ["added", "removed"] as const) {
      const side = lines.filter(({ kind }) => kind !== other);
      const found = await highlight(side.map(({ text }) => text).join("\n"), language);
      for (const [index, line] of side.entries()) tokens.set(line, found?.[index] ?? []);
    }
  }
  return tokens;
}
