import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { ansiText } from "../format/ansi.ts";
import { formatBytes, formatPlural } from "../format/numbers.ts";
import { savedName } from "../format/saved-name.ts";
import { splitLines } from "../format/split-lines.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

type Props = { open: boolean; onClose: () => void; title: string; text: string };

/** Shows a text of any length, of which only the visible part is in the document. Long lines wrap. */
export function TextViewer({ open, onClose, title, text }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      size="large"
      actions={
        <>
          <Button icon="download" onClick={() => downloadText(text, title)}>
            Download
          </Button>
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <Lines text={text} />
    </Dialog>
  );
}

function Lines({ text }: { text: string }) {
  const lines = useMemo(() => splitLines(ansiText(text)), [text]);
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 20,
    overscan: 20,
  });
  return (
    <>
      <p className="mb-2 flex items-center gap-2 text-xs text-faint">
        {formatPlural(lines.filter(({ number }) => number !== null).length, "line")},{" "}
        {formatBytes(new Blob([text]).size)}
        <CopyButton text={text} label="Copy all" />
      </p>
      <section
        ref={scroller}
        aria-label="Text"
        tabIndex={0}
        className="h-[65dvh] overflow-auto rounded-lg border border-line bg-sunken font-mono text-xs leading-5"
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const line = lines[item.index];
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0 flex px-3"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <span className="mr-3 w-12 shrink-0 text-right text-faint select-none">{line?.number}</span>
                <span className="min-w-0 flex-1 whitespace-pre-wrap break-all">{line?.text}</span>
              </div>
            );
          })}
        </div>
      </section>
    </>
  );
}

export function downloadText(text: string, name: string): void {
  downloadBlob(
    new Blob([text], { type: "text/plain" }),
    name.endsWith(".txt") || name.includes(".") ? name : `${name}.txt`,
  );
}

export function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = savedName(name);
  link.click();
  URL.revokeObjectURL(address);
}
