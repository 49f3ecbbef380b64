import { useMemo } from "react";
import { hunksBetween } from "../../../format/diff-lines.ts";
import { headOf } from "../../../format/split-lines.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { CodeBlock } from "../../../ui/code-block.tsx";
import { DiffView } from "../../../ui/diff-view.tsx";
import { JsonView } from "../../../ui/json-view.tsx";
import type { ToolUse } from "../log/view.ts";
import { textOf } from "./call-summary.ts";
import { useKept } from "./kept-state.ts";

/** Shows the input of a tool call, as far as its summary does not show it. */
export function CallInput({ use }: { use: ToolUse }) {
  if (use.type !== "agent.tool_use") return <RawInput use={use} />;
  switch (use.name) {
    case "Bash":
      return <Command text={textOf(use.input.command)} />;
    case "Edit":
      return <Edit use={use} />;
    case "Write":
      return <Written id={use.id} path={textOf(use.input.file_path)} content={textOf(use.input.content)} />;
    case "Explore":
      return <Asked text={textOf(use.input.question)} path={textOf(use.input.path)} />;
    case "Read":
    case "Glob":
    case "Grep":
      return null;
    default:
      return <RawInput use={use} />;
  }
}

/** Shows a command. One of a single short line is in the summary already. */
function Command({ text }: { text: string }) {
  if (!text.trim().includes("\n") && text.length < 80) return null;
  return (
    <pre
      tabIndex={0}
      className="max-h-80 overflow-auto border-t border-line px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
    >
      <span className="text-faint select-none">$ </span>
      {showUnseen(text)}
    </pre>
  );
}

/** Shows a question. A short one is in the summary already. */
function Asked({ text, path }: { text: string; path: string }) {
  if (text.length < 80 && path === "") return null;
  return (
    <p className="max-h-80 overflow-auto border-t border-line px-3 py-2 whitespace-pre-wrap wrap-anywhere">
      {showUnseen(text)}
      {path !== "" && <span className="mt-1 block font-mono text-xs text-muted">{showUnseen(path)}</span>}
    </p>
  );
}

function Edit({ use: { input } }: { use: ToolUse }) {
  const hunks = useMemo(() => hunksBetween(textOf(input.old_string), textOf(input.new_string)), [input]);
  return (
    <div className="max-h-120 overflow-auto border-t border-line py-1">
      <DiffView hunks={hunks} path={textOf(input.file_path)} bare />
    </div>
  );
}

function Written({ id, path, content }: { id: string; path: string; content: string }) {
  const [open, setOpen] = useKept(`${id} written`, false);
  const { head, cutLines, cut } = headOf(content, open ? 2_000 : 12, open ? 200_000 : 4_000);
  return (
    <div className="border-t border-line">
      <CodeBlock code={head} language={path} numbered className="rounded-none border-0" />
      {(cut || open) && (
        <button
          type="button"
          className="px-3 py-1.5 text-xs text-accent-text hover:underline"
          onClick={() => setOpen(!open)}
        >
          {open ? "Show less" : `Show ${cutLines} more lines`}
        </button>
      )}
    </div>
  );
}

function RawInput({ use }: { use: ToolUse }) {
  if (Object.keys(use.input).length === 0) return null;
  return <JsonView value={use.input} className="rounded-none border-x-0 border-b-0" />;
}
