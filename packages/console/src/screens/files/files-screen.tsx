import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useList } from "../../api/use-list.ts";
import { useUploads } from "../../api/use-uploads.ts";
import { type Change, withChange } from "../../format/search.ts";
import { useActions } from "../../shell/actions.ts";
import { ListFilters } from "../../shell/list-filters.tsx";
import { hasText, LIVE_MS, listQueryOf } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { FilterMenu } from "../../ui/filter-menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/moment.tsx";
import { toast } from "../../ui/toast.tsx";
import { UploadList } from "../../ui/upload-list.tsx";
import { useFileDrop } from "../../ui/use-file-drop.ts";
import { FILE_COLUMNS } from "./file-columns.tsx";

const route = getRouteApi("/files");

type FilesSearch = ReturnType<typeof route.useSearch>;

/** Shows uploaded files and session outputs, newest first. Files can be dropped anywhere on the page. */
export function FilesScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q, origin, session } = search;
  const searching = q !== undefined || origin !== undefined;
  const query = {
    ...listQueryOf(search, useNow()),
    ...(session === undefined ? {} : { scope_id: session }),
    limit: searching ? 100 : 50,
  };
  const list = useList(["files", "list", query], () => berth.files.list(query), { live: LIVE_MS });
  const shown = list.items.filter(
    ({ filename, id, mime_type, scope }) =>
      hasText([filename, id, mime_type], search) &&
      (origin === undefined || (origin === "outputs") === (scope !== null)),
  );
  const uploads = useStoredUploads();
  const picker = useRef<HTMLInputElement>(null);
  const choose = () => picker.current?.click();
  const set = (change: Change<FilesSearch>) =>
    void navigate({ search: withChange<FilesSearch>(search, change), replace: true });
  const clear = () => void navigate({ search: {}, replace: true });
  useActions([{ id: "upload", label: "Upload files", group: "Files", icon: "upload", run: choose }]);
  return (
    <Page
      title="Files"
      actions={
        <>
          <CallButton calls={[{ operation: operations.files.list, query }]} />
          <Button look="primary" size="small" icon="upload" onClick={choose}>
            Upload
          </Button>
        </>
      }
    >
      <UploadArea uploads={uploads} picker={picker}>
        <ListFilters
          search={search}
          archives={false}
          placeholder="Name, type or id"
          onChange={({ archived: _, ...change }) => set(change)}
          onClear={clear}
        >
          <OriginFilters search={search} onChange={set} />
        </ListFilters>
        <Uploading uploads={uploads} />
        <ObjectList
          label="Files"
          list={list}
          shown={shown}
          searching={searching}
          filtered={Object.keys(search).length > 0}
          onClear={clear}
          onOpen={({ id }) => void navigate({ to: "/files/$fileId", params: { fileId: id } })}
          columns={FILE_COLUMNS}
          empty={
            <EmptyList
              icon="file"
              title="No files yet"
              command="berth files upload ./notes.txt"
              verb="Upload files"
              verbIcon="upload"
              onAdd={choose}
            >
              Files are inputs that you give to sessions, and outputs that agents write below
              /mnt/session/outputs. Drop files here to upload them.
            </EmptyList>
          }
        />
      </UploadArea>
    </Page>
  );
}

type OriginProps = { search: FilesSearch; onChange: (change: Change<FilesSearch>) => void };

function OriginFilters({ search: { origin, session }, onChange }: OriginProps) {
  return (
    <>
      <FilterMenu
        label="From"
        choices={[
          { value: "uploads", label: "Uploads" },
          { value: "outputs", label: "Outputs of sessions" },
        ]}
        chosen={origin}
        onChange={(chosen) => onChange({ origin: chosen })}
      />
      {session !== undefined && (
        <Button
          size="small"
          icon="cross"
          aria-label="Show files of all sessions"
          onClick={() => onChange({ session: undefined })}
        >
          One session
        </Button>
      )}
    </>
  );
}

type Uploads = ReturnType<typeof useUploads>;

/** Returns the uploads, each removed once its file is in the list. */
function useStoredUploads() {
  const uploads = useUploads();
  const { remove } = uploads;
  const stored = uploads.uploads.filter(({ file }) => file !== null);
  useEffect(() => {
    if (stored.length === 0) return;
    for (const { key } of stored) remove(key);
    void queryClient.invalidateQueries({ queryKey: ["files"] });
    toast(stored.length === 1 ? `${stored[0]?.name} is uploaded` : `${stored.length} files are uploaded`);
  }, [stored, remove]);
  return uploads;
}

function Uploading({ uploads: { uploads, retry, remove } }: { uploads: Uploads }) {
  return (
    uploads.length > 0 && (
      <div className="border-b border-line px-4 py-2.5">
        <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />
      </div>
    )
  );
}

type AreaProps = { uploads: Uploads; picker: RefObject<HTMLInputElement | null>; children: ReactNode };

/** Uploads files that are dropped on the area, or chosen with the picker. */
function UploadArea({ uploads: { add }, picker, children }: AreaProps) {
  const drop = useFileDrop(add);
  return (
    <div {...drop.handlers} className="relative min-h-full">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {children}
      {drop.over && (
        <div className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-soft/90">
          <p className="flex items-center gap-2 font-medium text-accent-text">
            <Icon name="upload" /> Drop to upload
          </p>
        </div>
      )}
    </div>
  );
}
