import type { Memory, MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { berth } from "../../api/client.ts";
import { memoryQuery } from "../../api/queries/memory-stores.ts";
import { queryClient } from "../../api/query-client.ts";
import { formatBytes } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button, buttonClass, IconButton, Spinner } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { MarkdownFile } from "../../ui/markdown-file.tsx";
import { Ago } from "../../ui/moment.tsx";
import { toast } from "../../ui/toast.tsx";
import { keptDraft } from "../../ui/use-draft.ts";
import { EditMemory } from "./edit-memory.tsx";

type Props = {
  store: MemoryStore;
  memoryId: string;
  /** The hash of the content that the list shows. Another hash means that the memory has changed. */
  sha256: string;
};

/** Shows the text of a memory, to read and to edit. */
export function MemoryView({ store, memoryId, sha256 }: Props) {
  const query = useQuery(memoryQuery(store.id, memoryId));
  // An edit that was begun before a reload is continued.
  const [editing, setEditing] = useState(() => keptDraft(`memory ${memoryId}`) !== "");
  const memory = query.data;
  const isOld = memory !== undefined && memory.content_sha256 !== sha256;
  useEffect(() => {
    if (isOld) void queryClient.invalidateQueries({ queryKey: memoryQuery(store.id, memoryId).queryKey });
  }, [isOld, store.id, memoryId]);
  useShortcuts(
    store.archived_at === null && !editing
      ? [{ keys: "e", label: "Edit", group: "Memory", run: () => setEditing(true) }]
      : [],
  );
  if (query.error !== null && memory === undefined)
    return <ErrorBox error={query.error} retry={() => void query.refetch()} className="m-4" />;
  if (memory === undefined) return <Spinner className="m-4 text-faint" />;
  if (editing) return <EditMemory store={store} memory={memory} onDone={() => setEditing(false)} />;
  return <Shown store={store} memory={memory} onEdit={() => setEditing(true)} />;
}

function Shown({ store, memory, onEdit }: { store: MemoryStore; memory: Memory; onEdit: () => void }) {
  const { path, content, size_bytes, updated_at, id } = memory;
  const text = content ?? "";
  return (
    <>
      <div className="sticky top-0 z-10 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-canvas px-4 py-1.5">
        <span className="min-w-0 truncate font-mono text-xs">{showUnseen(path)}</span>
        <CopyId id={id} short className="max-lg:hidden" />
        <span className="text-xs whitespace-nowrap text-faint">
          {formatBytes(size_bytes)} · <Ago at={updated_at} />
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          <CallButton
            calls={[
              {
                operation: operations.memories.get,
                params: { memory_store_id: store.id, memory_id: id },
              },
            ]}
          />
          <Link
            to="/memory/$storeId"
            params={{ storeId: store.id }}
            search={{ tab: "versions", memory: id }}
            className={buttonClass("quiet", "small")}
          >
            Versions
          </Link>
          {store.archived_at === null && (
            <>
              <Button size="small" onClick={onEdit}>
                Edit
              </Button>
              <DeleteMemory store={store} memory={memory} />
            </>
          )}
        </span>
      </div>
      <div className="p-4">
        {text === "" ? (
          <p className="text-muted">This memory is empty.</p>
        ) : /\.(md|markdown)$/i.test(path) ? (
          <MarkdownFile text={text} />
        ) : (
          <CodeBlock code={text} language={path} numbered wraps />
        )}
      </div>
    </>
  );
}

function DeleteMemory({ store, memory }: { store: MemoryStore; memory: Memory }) {
  const navigate = useNavigate({ from: "/memory/$storeId" });
  const [asking, setAsking] = useState(false);
  return (
    <>
      <IconButton icon="trash" label={`Delete ${memory.path}`} onClick={() => setAsking(true)} />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete “${memory.path}”?`}
        verb="Delete"
        danger
        act={async () => {
          // The hash ensures that only the content shown here is deleted.
          const expected = { expected_content_sha256: memory.content_sha256 };
          await berth.memoryStores.memories.delete(store.id, memory.id, expected);
          void queryClient.invalidateQueries({ queryKey: ["memory stores", store.id] });
          toast(`${memory.path} is deleted`, "Its versions stay.");
          await navigate({ search: {}, replace: true });
        }}
      >
        Agents can no longer read it. Its versions stay until somebody redacts them.
      </Confirm>
    </>
  );
}
