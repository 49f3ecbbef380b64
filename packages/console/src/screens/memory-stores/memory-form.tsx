import { type KeyboardEvent, useMemo } from "react";
import { formatBytes } from "../../format/numbers.ts";
import { TextAreaField, TextField } from "../../ui/field.tsx";
import type { FaultAt } from "../../ui/use-save.ts";

/** The largest content of a memory, in bytes. */
const MAX_BYTES = 102_400;

export type MemoryForm = { path: string; content: string };

type Props = {
  form: MemoryForm;
  change: (part: Partial<MemoryForm>) => void;
  faultAt: FaultAt;
  focus: "path" | "content";
  onSave: () => void;
};

/** Edits the path and text of a memory. */
export function MemoryFields({ form, change, faultAt, focus, onSave }: Props) {
  const size = useMemo(() => new TextEncoder().encode(form.content).length, [form.content]);
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSave();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all fields in it
    <div className="flex flex-col gap-4" onKeyDown={onKeyDown}>
      <TextField
        label="Path"
        error={faultAt("path")}
        autoFocus={focus === "path"}
        placeholder="/notes/parser.md"
        value={form.path}
        onChange={(text) => change({ path: text })}
        controlClass="font-mono text-xs"
      />
      <TextAreaField
        label="Text"
        aside={`${formatBytes(size)} of ${formatBytes(MAX_BYTES)}`}
        error={faultAt("content")}
        autoFocus={focus === "content"}
        rows={20}
        value={form.content}
        onChange={(text) => change({ content: text })}
        controlClass="font-mono text-xs"
      />
    </div>
  );
}
