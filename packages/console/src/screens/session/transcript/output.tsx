import { useState } from "react";
import { formatBytes, formatCount } from "../../../format/numbers.ts";
import { headOf, tailOf } from "../../../format/split-lines.ts";
import { AnsiText } from "../../../ui/ansi-text.tsx";
import { cx } from "../../../ui/cx.ts";
import { TextViewer } from "../../../ui/text-viewer.tsx";
import { useKept } from "./kept-state.ts";

/** The size of an output that is shown at first, and after unfolding. The whole opens in a dialog. */
const FOLDED = { lines: 10, length: 1_500 };
const UNFOLDED = { lines: 400, length: 40_000 };
/** The size that is shown while the output is written. */
const LIVE = { lines: 10, length: 600 };

type Props = { id: string; text: string; title: string; failed?: boolean };

/** Shows the newest lines of a running program's output. */
export function LiveOutput({ text }: { text: string }) {
  return (
    <pre
      role="log"
      aria-label="Output so far"
      aria-live="off"
      tabIndex={0}
      className="border-t border-line px-3 py-2 font-mono text-xs leading-5 text-muted whitespace-pre-wrap wrap-anywhere"
    >
      <AnsiText text={tailOf(text, LIVE.lines, LIVE.length)} />
    </pre>
  );
}

/** Shows the output of a program, with its colours, folded when it is long. */
export function Output({ id, text, title, failed = false }: Props) {
  const [unfolded, setUnfolded] = useKept(`${id} output`, false);
  const [viewing, setViewing] = useState(false);
  if (text.trim() === "") return <p className="px-3 py-1.5 text-xs text-faint">No output</p>;
  const { lines, length } = unfolded ? UNFOLDED : FOLDED;
  const { head, cutLines, cut } = headOf(text, lines, length);
  const isHuge = text.length > UNFOLDED.length || cutLines > UNFOLDED.lines;
  return (
    <div className={cx("border-t border-line", failed && "bg-bad-soft/40")}>
      <pre
        tabIndex={0}
        className="overflow-x-auto px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
      >
        <AnsiText text={head} />
      </pre>
      {(cut || unfolded) && (
        <div className="flex gap-3 px-3 pb-2 text-xs">
          {(cut ? !unfolded : true) && (
            <button
              type="button"
              className="text-accent-text hover:underline"
              onClick={() => setUnfolded(!unfolded)}
            >
              {unfolded
                ? "Show less"
                : `Show ${cutLines > 1 ? `${formatCount(cutLines)} more lines` : "more"}`}
            </button>
          )}
          {(isHuge || unfolded) && cut && (
            <button
              type="button"
              className="text-accent-text hover:underline"
              onClick={() => setViewing(true)}
            >
              Open all ({formatBytes(text.length)})
            </button>
          )}
        </div>
      )}
      {viewing && <TextViewer open onClose={() => setViewing(false)} title={title} text={text} />}
    </div>
  );
}
