import { type DragEvent, useRef, useState } from "react";
import { formatBytes, formatPlural } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Icon } from "../../ui/icon.tsx";
import { droppedFiles, pickedFiles, type SkillFile } from "./skill-files.ts";

type Props = { files: readonly SkillFile[]; onChange: (files: readonly SkillFile[]) => void };

/** Takes the directory of a skill or a zip archive of it, dropped or chosen. */
export function SkillDrop({ files, onChange }: Props) {
  const archive = useRef<HTMLInputElement>(null);
  const directory = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer.items).then(onChange);
  }
  if (files.length > 0) return <Chosen files={files} onClear={() => onChange([])} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cx(
        "flex flex-col items-center gap-3 rounded-xl border border-dashed px-4 py-8 text-center text-muted transition-colors",
        over ? "border-accent bg-accent-soft" : "border-line-strong",
      )}
    >
      <Icon name="upload" className="size-5" />
      <p>
        Drop the directory that has the <code className="font-mono text-xs">SKILL.md</code>, or a zip of it
      </p>
      <div className="flex gap-2">
        <Button size="small" onClick={() => directory.current?.click()}>
          Choose a directory
        </Button>
        <Button size="small" onClick={() => archive.current?.click()}>
          Choose a zip
        </Button>
      </div>
      <input
        ref={(input) => {
          directory.current = input;
          input?.setAttribute("webkitdirectory", "");
        }}
        type="file"
        multiple
        hidden
        aria-label="Directory of the skill"
        onChange={(event) => onChange(pickedFiles(event.target.files ?? []))}
      />
      <input
        ref={archive}
        type="file"
        accept=".zip"
        hidden
        aria-label="Zip of the skill"
        onChange={(event) => onChange(pickedFiles(event.target.files ?? []))}
      />
    </div>
  );
}

function Chosen({ files, onClear }: { files: readonly SkillFile[]; onClear: () => void }) {
  const size = files.reduce((sum, { content }) => sum + content.size, 0);
  const [first] = files;
  const name = files.length === 1 ? (first?.name ?? "") : (first?.name.split("/")[0] ?? "");
  return (
    <div className="flex items-center gap-2.5 rounded-xl border border-line bg-panel px-3 py-2.5">
      <Icon name={files.length === 1 ? "file" : "folder"} className="text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{showUnseen(name)}</span>
        <span className="block text-xs text-faint">
          {formatPlural(files.length, "file")}, {formatBytes(size)}
        </span>
      </span>
      <IconButton icon="cross" label="Choose something else" onClick={onClear} />
    </div>
  );
}
