import { useEffect, useRef } from "react";
import { useUploads } from "../../api/use-uploads.ts";
import { uploadPath } from "../../format/upload-path.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Input } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Icon } from "../../ui/icon.tsx";
import { UploadList } from "../../ui/upload-list.tsx";
import { useFileDrop } from "../../ui/use-file-drop.ts";
import type { FileEntry, Form } from "./form.ts";

type Part = Pick<Form, "files">;
type Props = {
  form: Part;
  change: (part: Partial<Part>) => void;
  faultAt: (field: string) => string | null;
  /** Called with whether uploads are running: a session created now would lack these files. */
  onUploading: (uploading: boolean) => void;
};

/** Edits the list of files that are in the sandbox from the start. They are uploaded while the user types. */
export function FilesSection({ form, change, faultAt, onUploading }: Props) {
  const { uploads, busy, add, retry, remove } = useUploads();
  useEffect(() => onUploading(busy), [busy, onUploading]);
  const picker = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(add);
  useEffect(() => {
    const ready = uploads.flatMap(({ key, name, file }) =>
      file === null ? [] : [{ key, name, fileId: file.id, mountPath: "" }],
    );
    if (ready.length === 0) return;
    for (const { key } of ready) remove(key);
    change({ files: [...form.files, ...ready] });
  });
  const set = (key: string, mountPath: string) =>
    change({ files: form.files.map((one) => (one.key === key ? { ...one, mountPath } : one)) });
  return (
    <FormSection
      title="Files"
      about="Read-only in the sandbox. Default path: the file’s name below /mnt/session/uploads."
    >
      <div
        {...drop.handlers}
        className={cx(
          "flex flex-wrap items-center justify-center gap-2 rounded-xl border border-dashed px-4 py-5 text-muted transition-colors",
          drop.over ? "border-accent bg-accent-soft" : "border-line-strong",
        )}
      >
        <Icon name="upload" /> Drop files here, or
        <Button size="small" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => add([...(event.target.files ?? [])])}
        />
      </div>
      <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />
      {form.files.map((file) => (
        <FileRow
          key={file.key}
          file={file}
          fault={faultAt(`file ${file.key}`)}
          onPlace={(path) => set(file.key, path)}
          onRemove={() => change({ files: form.files.filter(({ key }) => key !== file.key) })}
        />
      ))}
    </FormSection>
  );
}

type RowProps = {
  file: FileEntry;
  fault: string | null;
  onPlace: (path: string) => void;
  onRemove: () => void;
};

function FileRow({ file, fault, onPlace, onRemove }: RowProps) {
  return (
    <div>
      <div className="flex items-center gap-2">
        <Icon name="file" className="text-muted" />
        <span className="w-40 truncate">{showUnseen(file.name)}</span>
        <Input
          aria-label={`Path of ${file.name} in the sandbox`}
          placeholder={uploadPath(file.fileId, file.name)}
          value={file.mountPath}
          onChange={(event) => onPlace(event.target.value)}
          className="min-w-0 flex-1 font-mono text-xs"
        />
        <IconButton icon="cross" label={`Remove ${file.name}`} onClick={onRemove} />
      </div>
      {fault !== null && <p className="mt-1 text-xs text-bad">{fault}</p>}
    </div>
  );
}
