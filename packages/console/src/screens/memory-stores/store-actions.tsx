import type { MemoryStore } from "@berth/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { StoreDialog } from "./store-dialog.tsx";

const ENDING: Ending = {
  noun: "store",
  queryKey: "memory stores",
  list: "/memory",
  calls: berth.memoryStores,
  means: {
    archive:
      "Its memories stay readable, but can no longer be changed, here or in a session. This cannot be undone.",
    delete:
      "All its memories and their versions are deleted for good. It cannot be deleted while a session that is not archived or terminated uses it.",
  },
};

/** Offers the actions of a memory store. */
export function StoreActions({ store }: { store: MemoryStore }) {
  const navigate = useNavigate();
  const [editing, setEditing] = useState(false);
  const add = () =>
    void navigate({ to: "/memory/$storeId", params: { storeId: store.id }, search: { memory: "new" } });
  return (
    <ObjectActions
      item={store}
      name={store.name}
      group="Memory store"
      sharing="memoryStores"
      ending={ENDING}
      actions={[
        { id: "add", label: "New memory", button: "New memory", icon: "plus", run: add },
        {
          id: "edit",
          label: "Rename this store",
          menu: "Name and description…",
          icon: "memory",
          run: () => setEditing(true),
        },
      ]}
    >
      <StoreDialog key={store.updated_at} store={store} open={editing} onClose={() => setEditing(false)} />
    </ObjectActions>
  );
}
