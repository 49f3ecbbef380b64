import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { StoredFile } from "../../api/queries/files.ts";
import { formatBytes } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, Line, lineLinkClass } from "../../ui/table.tsx";
import { DeleteFile } from "./delete-file.tsx";
import { downloadFile } from "./download-file.ts";

/** Shows a file in the list, with its actions at the end of the line. */
export function FileRow({ file, ...place }: { file: StoredFile; index: number; marked: boolean }) {
  const { id, filename, mime_type, size_bytes, status, scope, created_at } = file;
  const [deleting, setDeleting] = useState(false);
  return (
    <Line {...place}>
      <Cell className="max-w-0 pl-4 sm:w-1/2">
        <span className="flex items-center gap-2.5">
          <Icon name={mime_type.startsWith("image/") ? "image" : "file"} className="text-muted" />
          <Link to="/files/$fileId" params={{ fileId: id }} className={lineLinkClass}>
            {showUnseen(filename)}
          </Link>
          {status !== "ready" && <Badge tone={status === "failed" ? "bad" : "info"}>{status}</Badge>}
          {file.current === false && <Badge>older</Badge>}
        </span>
      </Cell>
      <Cell className="whitespace-nowrap text-muted max-md:hidden">
        {scope === null ? (
          "Upload"
        ) : (
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: scope.id }}
            className="relative z-[1] hover:text-ink hover:underline"
          >
            A session
          </Link>
        )}
      </Cell>
      <Cell className="max-w-48 truncate font-mono text-xs text-muted max-lg:hidden">{mime_type}</Cell>
      <Cell align="right" className="whitespace-nowrap text-muted">
        {size_bytes !== null && formatBytes(size_bytes)}
      </Cell>
      <Cell align="right" className="whitespace-nowrap text-faint max-sm:hidden">
        <Ago at={created_at} />
      </Cell>
      <Cell className="w-0 pr-3 pl-0 whitespace-nowrap">
        <span className="relative z-[1] flex justify-end">
          {file.downloadable && (
            <IconButton
              icon="download"
              label={`Download ${filename}`}
              onClick={() => void downloadFile(file)}
            />
          )}
          <IconButton icon="trash" label={`Delete ${filename}`} onClick={() => setDeleting(true)} />
        </span>
        <DeleteFile file={file} open={deleting} onClose={() => setDeleting(false)} />
      </Cell>
    </Line>
  );
}
