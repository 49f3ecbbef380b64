import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { fileQuery, type StoredFile } from "../../api/queries/files.ts";
import { formatBytes, formatCount } from "../../format/numbers.ts";
import { useActions } from "../../shell/actions.ts";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { ShareDialog } from "../../shell/share-dialog.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { FileContent } from "../../ui/file-preview.tsx";
import { MetadataFacts } from "../../ui/metadata-facts.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Owner } from "../../ui/owner.tsx";
import { Fact, Facts, Section } from "../../ui/section.tsx";
import { DeleteFile } from "./delete-file.tsx";
import { downloadFile } from "./download-file.ts";

const route = getRouteApi("/files/$fileId");

const FILE: ObjectKind<StoredFile, "content"> = {
  title: "File",
  list: { name: "Files", to: "/files" },
  nameOf: ({ filename }) => filename,
  badge: ({ status }) =>
    status !== "ready" && <Badge tone={status === "failed" ? "bad" : "info"}>{status}</Badge>,
  actions: (file) => <FileActions file={file} />,
  tabs: (file) => [{ id: "content", label: "Content", content: () => <ContentTab file={file} /> }],
  calls: ({ id }) => [
    { operation: operations.files.get, params: { file_id: id } },
    { operation: operations.files.content, params: { file_id: id } },
  ],
};

/** Shows a file: preview, details, JSON. */
export function FileScreen() {
  const { fileId } = route.useParams();
  const { tab = "content" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...fileQuery(fileId),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  return (
    <ObjectPage
      kind={FILE}
      query={query}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "api" ? { tab: next } : {}, replace: true })}
    />
  );
}

function FileActions({ file }: { file: StoredFile }) {
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const isOutput = file.scope !== null;
  const download = () => void downloadFile(file);
  useActions([
    ...(file.downloadable
      ? [
          {
            id: "download",
            label: "Download this file",
            group: "File",
            icon: "download" as const,
            run: download,
          },
        ]
      : []),
    ...(isOutput
      ? []
      : [
          {
            id: "share",
            label: "Share this file",
            group: "File",
            icon: "user" as const,
            run: () => setSharing(true),
          },
        ]),
    { id: "delete", label: "Delete this file", group: "File", icon: "trash", run: () => setDeleting(true) },
  ]);
  useShortcuts(file.downloadable ? [{ keys: "d", label: "Download", group: "File", run: download }] : []);
  return (
    <>
      {file.downloadable && (
        <Button size="small" icon="download" onClick={download}>
          <span className="max-sm:sr-only">Download</span>
        </Button>
      )}
      {!isOutput && <IconButton icon="user" label="Share this file" onClick={() => setSharing(true)} />}
      <IconButton icon="trash" label="Delete this file" onClick={() => setDeleting(true)} />
      <ShareDialog noun="files" id={file.id} what="file" open={sharing} onClose={() => setSharing(false)} />
      <DeleteFile
        file={file}
        open={deleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: "/files" })}
      />
    </>
  );
}

function ContentTab({ file }: { file: StoredFile }) {
  return (
    <div className="grid h-full min-h-0 content-start overflow-y-auto lg:content-stretch lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0 p-4 lg:overflow-y-auto lg:border-r lg:border-line">
        {file.status === "ready" ? (
          <FileContent file={file} />
        ) : (
          <p className="text-muted">
            {file.status === "failed"
              ? "The upload failed; there is no content."
              : `${formatBytes(file.uploaded_bytes)} ${file.size_bytes === null ? "" : `of ${formatBytes(file.size_bytes)}`} are uploaded so far.`}
          </p>
        )}
      </div>
      <div className="min-w-0 max-lg:order-first">
        <Section title="File">
          <Facts>
            <Fact name="Type">
              <span className="font-mono text-xs">{file.mime_type}</span>
            </Fact>
            {file.size_bytes !== null && (
              <Fact name="Size">
                {formatBytes(file.size_bytes)}
                {file.size_bytes >= 1_024 && (
                  <span className="text-faint"> {formatCount(file.size_bytes)} bytes</span>
                )}
              </Fact>
            )}
            <Fact name="From">
              {file.scope === null ? (
                "An upload"
              ) : (
                <Link
                  to="/sessions/$sessionId"
                  params={{ sessionId: file.scope.id }}
                  className="text-accent-text hover:underline"
                >
                  Output of a session
                </Link>
              )}
            </Fact>
            {file.scope !== null && (
              <Fact name="Current">
                {file.current === false ? "No, the session wrote a newer one" : "Yes"}
              </Fact>
            )}
            <Fact name="Id">
              <CopyId id={file.id} />
            </Fact>
            {file.sha256 !== null && (
              <Fact name="SHA-256">
                <CopyId id={file.sha256} />
              </Fact>
            )}
            <Fact name="Owner">
              <Owner id={file.owner_id} />
            </Fact>
            <Fact name="Created">
              <Ago at={file.created_at} />
            </Fact>
          </Facts>
          {file.scope !== null && (
            <Link
              to="/files"
              search={{ session: file.scope.id }}
              className="mt-3 inline-block text-accent-text hover:underline"
            >
              All outputs of the session
            </Link>
          )}
        </Section>
        <MetadataFacts metadata={file.metadata} />
      </div>
    </div>
  );
}
