import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { StoredFile } from "../../api/queries/files.ts";
import { formatBytes } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { DeleteFile } from "./delete-file.tsx";
import { downloadFile } from "./download-file.ts";

/** The columns of the list of files; the last has the actions of a file. */
export const FILE_COLUMNS: readonly Column<StoredFile>[] = [
  {
    title: "Name",
    className: "pl-4",
    cellClass: "max-w-0 sm:w-1/2",
    cell: ({ id, filename, mime_type, status, current }) => (
      <span className="flex items-center gap-2.5">
        <Icon name={mime_type.startsWith("image/") ? "image" : "file"} className="text-muted" />
        <Link to="/files/$fileId" params={{ fileId: id }} className={lineLinkClass}>
          {showUnseen(filename)}
        </Link>
        {status !== "ready" && <Badge tone={status === "failed" ? "bad" : "info"}>{status}</Badge>}
        {current === false && <Badge>older</Badge>}
      </span>
    ),
  },
  {
    title: "From",
    className: "max-md:hidden",
    cellClass: "whitespace-nowrap text-muted",
    cell: ({ scope }) =>
      scope === null ? (
        "Upload"
      ) : (
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: scope.id }}
          className="relative z-[1] hover:text-ink hover:underline"
        >
          A session
        </Link>
      ),
  },
  {
    title: "Type",
    className: "max-lg:hidden",
    cellClass: "max-w-48 truncate font-mono text-xs text-muted",
    cell: ({ mime_type }) => mime_type,
  },
  {
    title: "Size",
    align: "right",
    cellClass: "whitespace-nowrap text-muted",
    cell: ({ size_bytes }) => size_bytes !== null && formatBytes(size_bytes),
  },
  agoColumn("Created", "max-sm:hidden", ({ created_at }) => created_at),
  {
    title: "Actions",
    untitled: true,
    cellClass: "w-0 pr-3 pl-0 whitespace-nowrap",
    cell: (file) => <FileActions file={file} />,
  },
];

function FileActions({ file }: { file: StoredFile }) {
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <span className="relative z-[1] flex justify-end">
        {file.downloadable && (
          <IconButton
            icon="download"
            label={`Download ${file.filename}`}
            onClick={() => void downloadFile(file)}
          />
        )}
        <IconButton icon="trash" label={`Delete ${file.filename}`} onClick={() => setDeleting(true)} />
      </span>
      <DeleteFile file={file} open={deleting} onClose={() => setDeleting(false)} />
    </>
  );
}
