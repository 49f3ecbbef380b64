import { type ComponentProps, useState } from "react";
import { berth } from "../api/client.ts";
import { formatBytes } from "../format/numbers.ts";
import { showUnseen } from "../format/visible-text.ts";
import { IconButton } from "./button.tsx";
import { FilePreview } from "./file-preview.tsx";
import { Icon } from "./icon.tsx";
import { Ago } from "./moment.tsx";
import { downloadBlob } from "./text-viewer.tsx";
import { toastError } from "./toast.tsx";

type StoredFile = ComponentProps<typeof FilePreview>["file"];

/** Shows a file in a list, previewed on click. */
export function FileLine({ file }: { file: StoredFile }) {
  const [open, setOpen] = useState(false);
  const save = () =>
    void berth.files
      .content(file.id)
      .then((response) => response.blob())
      .then((blob) => downloadBlob(blob, file.filename))
      .catch((error: Error) => toastError(`${file.filename} could not be downloaded`, error.message));
  return (
    <li className="flex items-center gap-2 border-b border-line pr-2 pl-4 hover:bg-hover">
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex min-w-0 flex-1 items-center gap-2.5 py-2 text-left"
      >
        <Icon name={file.mime_type.startsWith("image/") ? "image" : "file"} className="text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block truncate">{showUnseen(file.filename)}</span>
          <span className="block text-xs text-faint">
            {file.size_bytes === null ? file.status : formatBytes(file.size_bytes)} ·{" "}
            <Ago at={file.created_at} />
          </span>
        </span>
      </button>
      {file.downloadable && <IconButton icon="download" label={`Download ${file.filename}`} onClick={save} />}
      <FilePreview file={file} open={open} onClose={() => setOpen(false)} />
    </li>
  );
}
