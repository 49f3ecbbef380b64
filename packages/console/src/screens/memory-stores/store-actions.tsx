import type { MemoryStore } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useActions } from "../../shell/actions.ts";
import { AskToEnd } from "../../shell/ask-to-end.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu, MenuEnd, MenuItem } from "../../ui/menu.tsx";
import { StoreDialog } from "./store-dialog.tsx";

type Asked = "edit" | "archive" | "delete";

/** Offers the actions of a memory store. */
export function StoreActions({ store }: { store: MemoryStore }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const isArchived = store.archived_at !== null;
  const close = () => setAsked(null);
  const addMemory = () =>
    void navigate({ to: "/memory/$storeId", params: { storeId: store.id }, search: { memory: "new" } });
  const group = "Memory store";
  useActions([
    ...(isArchived
      ? []
      : ([
          { id: "add", label: "New memory", group, icon: "plus", run: addMemory },
          { id: "edit", label: "Rename this store", group, icon: "memory", run: () => setAsked("edit") },
          {
            id: "archive",
            label: "Archive this store",
            group,
            icon: "archive",
            run: () => setAsked("archive"),
          },
        ] as const)),
    { id: "delete", label: "Delete this store", group, icon: "trash", run: () => setAsked("delete") },
  ]);
  return (
    <>
      {!isArchived && (
        <Button size="small" look="primary" icon="plus" onClick={addMemory}>
          <span className="max-sm:sr-only">New memory</span>
        </Button>
      )}
      <Menu trigger={<IconButton icon="dots" label="More actions" />}>
        <MenuItem icon="memory" disabled={isArchived} onSelect={() => setAsked("edit")}>
          Name and description…
        </MenuItem>
        <MenuEnd
          isArchived={isArchived}
          onArchive={() => setAsked("archive")}
          onDelete={() => setAsked("delete")}
        />
      </Menu>
      <StoreDialog key={store.updated_at} store={store} open={asked === "edit"} onClose={close} />
      <AskToEnd
        asked={asked}
        onClose={close}
        id={store.id}
        name={store.name}
        noun="store"
        queryKey="memory stores"
        calls={berth.memoryStores}
        means={{
          archive:
            "Its memories stay readable, and nobody can change them any more, neither here nor in a session. This cannot be undone.",
          delete:
            "All its memories and their versions are gone for good. While a session that goes on has it, it cannot be deleted.",
        }}
        onDeleted={() => navigate({ to: "/memory" })}
      />
    </>
  );
}
