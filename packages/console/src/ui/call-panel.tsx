import { useState } from "react";
import { type CallExample, cliCommand, curlCommand } from "../api/call-commands.ts";
import { CopyButton } from "./copy.tsx";
import { cx } from "./cx.ts";

/** Shows the call as a `berth` and a curl command, to copy. */
export function CallPanel({ call, className }: { call: CallExample; className?: string }) {
  const [way, setWay] = useState<"cli" | "curl">("cli");
  const text = way === "cli" ? cliCommand(call) : curlCommand(call, location.origin);
  return (
    <section
      aria-label={`${call.operation.summary}: the same by command line and curl`}
      className={cx("rounded-lg border border-line bg-sunken", className)}
    >
      <div className="flex items-center gap-1 border-b border-line px-2 py-1">
        <WayButton label="CLI" chosen={way === "cli"} onChoose={() => setWay("cli")} />
        <WayButton label="curl" chosen={way === "curl"} onChoose={() => setWay("curl")} />
        <span className="ml-1 min-w-0 flex-1 truncate text-xs text-faint">{call.operation.summary}</span>
        <CopyButton text={text} label="Copy the command" />
      </div>
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto p-3 font-mono text-xs leading-5 whitespace-pre-wrap break-words"
      >
        {text}
      </pre>
    </section>
  );
}

function WayButton({ label, chosen, onChoose }: { label: string; chosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onChoose}
      className="h-6 rounded-md px-2 text-xs font-medium text-muted hover:text-ink aria-pressed:bg-selected aria-pressed:text-ink"
    >
      {label}
    </button>
  );
}
