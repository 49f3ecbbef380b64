import { useEffect, useState } from "react";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

/** Milliseconds for which a button shows that it has copied. */
const SAID_FOR = 1_400;

export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_FOR);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => void writeClipboard(text).then(setCopied);
  return { copied, copy };
}

/**
 * Copies a text; returns whether it worked. Pages without https have no clipboard API, so there a selection
 * is copied.
 */
async function writeClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/** Shows an id, whole or shortened in the middle, which is copied on click. */
export function CopyId({
  id,
  short = false,
  className,
}: {
  id: string;
  short?: boolean;
  className?: string;
}) {
  const { copied, copy } = useCopy();
  return (
    <button
      type="button"
      title={copied ? "Copied" : `Copy ${id}`}
      onClick={(event) => {
        event.stopPropagation();
        event.preventDefault();
        copy(id);
      }}
      className={cx(
        "group/id inline-flex max-w-full items-center gap-1 rounded-sm font-mono text-xs text-faint hover:text-ink",
        className,
      )}
    >
      <span className="truncate">{short ? shortened(id) : id}</span>
      <span className="sr-only">: copy</span>
      <Icon
        name={copied ? "check" : "copy"}
        className={cx(
          "size-3",
          !copied && "opacity-0 group-hover/id:opacity-100 group-focus-visible/id:opacity-100",
        )}
      />
    </button>
  );
}

export function CopyButton({
  text,
  label = "Copy",
  className,
}: {
  text: string | (() => string);
  label?: string;
  className?: string;
}) {
  const { copied, copy } = useCopy();
  return (
    <button
      type="button"
      title={label}
      aria-label={copied ? "Copied" : label}
      onClick={() => copy(typeof text === "string" ? text : text())}
      className={cx(
        "inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink",
        className,
      )}
    >
      <Icon name={copied ? "check" : "copy"} className="size-3.5" />
    </button>
  );
}

/** Shortens an id to `sess_…4f2k`: the prefix shows the kind, and the end is what differs. */
function shortened(id: string): string {
  const [prefix = "", rest = ""] = id.split("_");
  return rest.length <= 8 ? id : `${prefix}_…${rest.slice(-6)}`;
}
