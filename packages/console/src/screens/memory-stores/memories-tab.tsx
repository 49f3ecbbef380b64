import type { MemoryStore } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { memoriesQuery } from "../../api/queries/memory-stores.ts";
import { formatPlural } from "../../format/numbers.ts";
import { Button, Spinner } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Input } from "../../ui/field.tsx";
import { PathTree } from "../../ui/path-tree.tsx";
import { MemoryView } from "./memory-view.tsx";
import { NewMemory } from "./new-memory.tsx";

const route = getRouteApi("/memory/$storeId");

/** Milliseconds between reads of the tree, which agents may change. */
const LIVE_MS = 5_000;
/** The number of memories from which the tree has a filter. */
const MIN_FILTERED = 12;

/** Shows the memories of a store as a tree, with the text of one of them. */
export function MemoriesTab({ store }: { store: MemoryStore }) {
  const { memory } = route.useSearch();
  const navigate = route.useNavigate();
  const [filter, setFilter] = useState("");
  const list = useQuery({ ...memoriesQuery(store.id), refetchInterval: LIVE_MS });
  const memories = list.data ?? [];
  const chosen = memories.find(({ id }) => id === memory) ?? (memory === undefined ? memories[0] : undefined);
  const paths = useMemo(
    () =>
      (list.data ?? [])
        .map(({ path }) => path)
        .filter((path) => path.toLowerCase().includes(filter.toLowerCase())),
    [list.data, filter],
  );
  const show = (id: string) => void navigate({ search: { memory: id }, replace: true });
  if (list.error !== null && list.data === undefined)
    return <ErrorBox error={list.error} retry={() => void list.refetch()} className="m-4" />;
  if (list.isPending) return <Spinner className="m-6 text-faint" />;
  if (memories.length === 0 && memory !== "new")
    return <NoMemories store={store} onAdd={() => show("new")} />;
  return (
    <div className="grid h-full min-h-0 content-start max-md:overflow-y-auto md:grid-cols-[16rem_minmax(0,1fr)] md:content-stretch">
      <div className="min-w-0 border-line max-md:max-h-72 max-md:overflow-y-auto max-md:border-b md:overflow-y-auto md:border-r">
        {memories.length >= MIN_FILTERED && (
          <div className="border-b border-line p-2">
            <Input
              type="search"
              aria-label="Filter by path"
              placeholder="Path"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
              className="h-7!"
            />
          </div>
        )}
        <PathTree
          label="Memories"
          paths={paths}
          chosen={memory === "new" ? null : (chosen?.path ?? null)}
          onChoose={(path) => show(memories.find((one) => one.path === path)?.id ?? "")}
        />
        <p className="px-3 pb-3 text-xs text-faint">{formatPlural(memories.length, "memory", "memories")}</p>
      </div>
      <div className="min-w-0 md:overflow-y-auto">
        {memory === "new" ? (
          <NewMemory store={store} onSaved={show} />
        ) : chosen === undefined ? (
          <p className="p-6 text-muted">This memory was deleted. Its versions are still here.</p>
        ) : (
          <MemoryView key={chosen.id} store={store} memoryId={chosen.id} sha256={chosen.content_sha256} />
        )}
      </div>
    </div>
  );
}

function NoMemories({ store, onAdd }: { store: MemoryStore; onAdd: () => void }) {
  return (
    <Empty
      icon="memory"
      title="No memories yet"
      command={`berth memory-stores memories create ${store.id} -f path=/notes.md -f content=@notes.md`}
      action={
        store.archived_at === null && (
          <Button look="primary" icon="plus" onClick={onAdd}>
            New memory
          </Button>
        )
      }
    >
      A memory is a text that agents with this store read, and can write, below /mnt/memory.
    </Empty>
  );
}
