import { memo, useState } from "react";
import { useSender } from "../../../api/queries/owners.ts";
import { formatBytes } from "../../../format/numbers.ts";
import { headOf } from "../../../format/split-lines.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Badge } from "../../../ui/badge.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import { TextViewer } from "../../../ui/text-viewer.tsx";
import type {
  InputRow as InputRowData,
  PreviewRow as PreviewRowData,
  TextRow as TextRowData,
  ThinkingRow as ThinkingRowData,
} from "../log/view.ts";
import { Attachments } from "./content-blocks.tsx";
import { useKept } from "./kept-state.ts";
import { RowFrame } from "./row-frame.tsx";

/** Characters after which the transcript cuts a message. */
const MAX_SHOWN = 30_000;
/** Characters above which a line is not treated as prose. */
const MAX_LINE = 10_000;

/** Shows a message from a person or a program. */
export const InputRow = memo(function InputRow({ row }: { row: InputRowData }) {
  const text = row.event.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  const sender = useSender(row.event.created_by);
  return (
    <RowFrame row={row}>
      <div className="group/text rounded-xl border border-line bg-panel px-4 py-3">
        <div className="mb-1.5 flex h-5 items-center gap-2 text-xs font-medium text-muted">
          <Icon name="user" className="size-3.5" />
          <span className="min-w-0 truncate">{senderName(sender)}</span>
          {row.pending && <Badge tone="info">queued</Badge>}
          <span className="ml-auto opacity-0 group-hover/text:opacity-100 focus-within:opacity-100">
            <CopyButton text={text} label="Copy the text" />
          </span>
        </div>
        <InputText id={row.id} text={text} />
        <Attachments blocks={row.event.content} />
      </div>
    </RowFrame>
  );
});

/** Returns who wrote a message, as its heading. */
function senderName(sender: string | null): string {
  if (sender === null) return "Input";
  return sender === "you" ? "You" : showUnseen(sender);
}

/** Shows the text of an input as it was typed, folded when it is long. */
function InputText({ id, text }: { id: string; text: string }) {
  const [open, setOpen] = useKept(`${id} input`, false);
  const [viewing, setViewing] = useState(false);
  const { head, cut } = headOf(text, open ? 2_000 : 14, open ? MAX_SHOWN : 1_500);
  return (
    <>
      <p className="text-base whitespace-pre-wrap wrap-anywhere">{showUnseen(head)}</p>
      {(cut || open) && (
        <button
          type="button"
          className="mt-1 text-xs text-accent-text hover:underline"
          onClick={() => (open && cut ? setViewing(true) : setOpen(!open))}
        >
          {open ? (cut ? `Open all (${formatBytes(text.length)})` : "Show less") : "Show more"}
        </button>
      )}
      {viewing && <TextViewer open onClose={() => setViewing(false)} title="Input" text={text} />}
    </>
  );
}

/** Shows a message of the agent. */
export const TextRow = memo(function TextRow({ row }: { row: TextRowData }) {
  return (
    <RowFrame row={row}>
      <div className="group/text relative">
        <BoundedText text={row.text} title="Message" />
        <span className="absolute -top-1 right-0 rounded-md bg-canvas opacity-0 group-hover/text:opacity-100 focus-within:opacity-100">
          <CopyButton text={row.text} label="Copy the Markdown" />
        </span>
      </div>
    </RowFrame>
  );
});

export function ThinkingRow({ row }: { row: ThinkingRowData }) {
  return (
    <RowFrame row={row}>
      <p className="flex items-center gap-2 text-think">
        <Icon name="think" /> Thought
      </p>
    </RowFrame>
  );
}

/** Shows the text that the model is writing. */
export function PreviewRow({ row }: { row: PreviewRowData }) {
  if (row.type === "agent.thinking" || row.text === "")
    return (
      <p className="flex items-center gap-2 text-think">
        <Icon name="think" className="animate-pulse" /> Thinking…
      </p>
    );
  return (
    <div className="streaming">
      <Markdown text={row.text.slice(-MAX_SHOWN)} />
    </div>
  );
}

function BoundedText({ text, title }: { text: string; title: string }) {
  const [viewing, setViewing] = useState(false);
  const length = shownLength(text);
  if (length === text.length) return <Markdown text={text} />;
  return (
    <>
      <Markdown text={text.slice(0, length)} />
      <button
        type="button"
        className="mt-1 text-xs text-accent-text hover:underline"
        onClick={() => setViewing(true)}
      >
        Open all ({formatBytes(text.length)})
      </button>
      {viewing && <TextViewer open onClose={() => setViewing(false)} title={title} text={text} />}
    </>
  );
}

function shownLength(text: string): number {
  if (text.length <= MAX_LINE) return text.length;
  for (let at = 0; at < Math.min(text.length, MAX_SHOWN); ) {
    const end = text.indexOf("\n", at);
    const next = end === -1 ? text.length : end + 1;
    if (next - at > MAX_LINE) return at + 2_000;
    at = next;
  }
  return Math.min(text.length, MAX_SHOWN);
}
