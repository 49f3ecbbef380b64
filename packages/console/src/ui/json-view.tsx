import { showUnseen } from "../format/visible-text.ts";
import { CopyButton } from "./copy.tsx";
import { cx } from "./cx.ts";

/** Characters after which the JSON is cut, with a note. The copy is complete. */
const MAX_SHOWN = 200_000;

/** Shows any value as JSON, with its keys highlighted. */
export function JsonView({ value, className }: { value: unknown; className?: string }) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  const shown = showUnseen(text.slice(0, MAX_SHOWN));
  return (
    <div className={cx("group/json relative rounded-lg border border-line bg-sunken", className)}>
      <CopyButton text={text} label="Copy the JSON" className="absolute top-1.5 right-1.5 bg-sunken" />
      <pre
        tabIndex={0}
        className="overflow-x-auto p-3 pr-10 font-mono text-xs leading-5 whitespace-pre-wrap break-words"
      >
        {shown.split("\n").map((line, index) => (
          <JsonLine key={index} line={line} />
        ))}
        {text.length > MAX_SHOWN && <span className="text-faint">… cut here; copy it to get all of it.</span>}
      </pre>
    </div>
  );
}

function JsonLine({ line }: { line: string }) {
  const [, indent = "", key, rest = ""] = /^(\s*)("(?:[^"\\]|\\.)*":)?(.*)$/.exec(line) ?? [];
  const value = rest.trim();
  return (
    <span>
      {indent}
      {key !== undefined && <span className="text-info">{key}</span>}
      <span className={value.startsWith('"') ? "text-ok" : /^[-\dtfn]/.test(value) ? "text-warn" : ""}>
        {rest}
      </span>
      {"\n"}
    </span>
  );
}
