import { memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { type DiffHunk, type DiffLine, firstLines, sideBySide } from "../format/diff-lines.ts";
import { cutLine, type Token } from "../format/line-pieces.ts";
import { formatCount } from "../format/numbers.ts";
import { showUnseen } from "../format/visible-text.ts";
import { cx } from "./cx.ts";
import { highlight, languageOf } from "./highlight.ts";

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
};

type LineProps = { line: DiffLine; tokens: readonly Token[] | undefined };

const LINE_LOOKS = { same: "", added: "bg-added", removed: "bg-removed" } as const;
const MARK_LOOKS = { same: "", added: "bg-added-strong", removed: "bg-removed-strong" } as const;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** Shows the diff of one file, in one column or side by side. */
export const DiffView = memo(function DiffView({ hunks, path = "", split = false, bare = false }: Props) {
  const [limit, setLimit] = useState(STEP);
  const { shown, left } = useMemo(() => firstLines(hunks, limit), [hunks, limit]);
  const tokens = useDiffTokens(shown, path);
  return (
    <>
      <div tabIndex={0} className="overflow-x-auto font-mono text-xs leading-5">
        <div className={cx("min-w-full", !split && "w-max")}>
          {shown.map((hunk) => (
            <div key={hunk.header}>
              {!bare && (
                <div className="bg-info-soft/60 px-3 text-info select-none">{showUnseen(hunk.header)}</div>
              )}
              {split ? (
                <SplitLines lines={hunk.lines} tokens={tokens} />
              ) : (
                hunk.lines.map((line) => (
                  <UnifiedLine key={`${line.old} ${line.new}`} line={line} tokens={tokens.get(line)} />
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

function UnifiedLine({ line, tokens }: LineProps) {
  return (
    <div className={cx("flex", LINE_LOOKS[line.kind])}>
      <Numbered>{line.old}</Numbered>
      <Numbered>{line.new}</Numbered>
      <LineText line={line} tokens={tokens} />
    </div>
  );
}

type SplitProps = { lines: readonly DiffLine[]; tokens: ReadonlyMap<DiffLine, readonly Token[]> };

function SplitLines({ lines, tokens }: SplitProps) {
  return sideBySide(lines).map(([left, right]) => (
    <div key={`${left?.old} ${right?.new}`} className="grid grid-cols-2">
      <Side line={left} tokens={left ? tokens.get(left) : undefined} number={left?.old} />
      <Side line={right} tokens={right ? tokens.get(right) : undefined} number={right?.new} />
    </div>
  ));
}

type SideProps = {
  line: DiffLine | null;
  tokens: readonly Token[] | undefined;
  number: number | null | undefined;
};

function Side({ line, tokens, number }: SideProps) {
  return (
    <div
      className={cx(
        "flex min-w-0 border-r border-line last:border-r-0",
        line === null ? "bg-sunken" : LINE_LOOKS[line.kind],
      )}
    >
      <Numbered>{number}</Numbered>
      {line !== null && <LineText line={line} tokens={tokens} wraps />}
    </div>
  );
}

function Numbered({ children }: { children: ReactNode }) {
  return <span className="w-10 shrink-0 px-1.5 text-right text-faint select-none">{children}</span>;
}

function LineText({ line, tokens, wraps = false }: LineProps & { wraps?: boolean }) {
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
