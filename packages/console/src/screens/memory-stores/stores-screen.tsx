import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn, nameColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";
import { StoreDialog } from "./store-dialog.tsx";

const route = getRouteApi("/memory");

const STORES: ListKind<MemoryStore> = {
  title: "Memory",
  noun: "memory stores",
  icon: "memory",
  operation: operations.memoryStores.list,
  load: (query) => berth.memoryStores.list(query),
  words: ({ name, description, id }) => [name, description, id],
  columns: [
    nameColumn(({ name }) => name, "sm:w-1/3"),
    {
      title: "Description",
      className: "max-md:hidden",
      cellClass: "max-w-0 truncate text-muted md:w-1/2",
      cell: ({ description }) => showUnseen(description ?? ""),
    },
    agoColumn("Created", "pr-4", ({ created_at }) => created_at),
  ],
  empty: {
    title: "No memory stores yet",
    about:
      "A memory store holds texts that agents keep from session to session. You can read and edit them here.",
    command: "berth memory-stores create -f name=notes",
  },
};

export function StoresScreen() {
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  const open = ({ id }: MemoryStore) => void navigate({ to: "/memory/$storeId", params: { storeId: id } });
  useActions([{ id: "add", label: "New memory store", group: "Memory", icon: "plus", run: add }]);
  return (
    <ListScreen
      kind={STORES}
      search={route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      create={{ label: "New store", icon: "plus", onAdd: add }}
    >
      <StoreDialog store={null} open={adding} onClose={() => setAdding(false)} onSaved={open} />
    </ListScreen>
  );
}
