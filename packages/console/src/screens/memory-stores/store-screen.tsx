import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { memoryStoreQuery } from "../../api/queries/memory-stores.ts";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { MemoriesTab } from "./memories-tab.tsx";
import { StoreActions } from "./store-actions.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const route = getRouteApi("/memory/$storeId");

const STORE: ObjectKind<MemoryStore, "memories" | "versions"> = {
  title: "Memory store",
  list: { name: "Memory", to: "/memory" },
  nameOf: ({ name }) => name,
  actions: (store) => <StoreActions store={store} />,
  tabs: (store) => [
    { id: "memories", label: "Memories", content: () => <MemoriesTab store={store} /> },
    { id: "versions", label: "Versions", content: () => <VersionsTab store={store} /> },
  ],
  calls: ({ id }) => [
    { operation: operations.memoryStores.get, params: { memory_store_id: id } },
    { operation: operations.memories.list, params: { memory_store_id: id } },
  ],
};

/** Shows a memory store: its memories as a tree, their versions, its JSON. */
export function StoreScreen() {
  const { storeId } = route.useParams();
  const { tab = "memories", memory } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectPage
      kind={STORE}
      query={useQuery(memoryStoreQuery(storeId))}
      tab={tab}
      onTab={(next) =>
        void navigate({
          search: {
            ...(next === "memories" ? {} : { tab: next }),
            ...(memory === undefined || memory === "new" ? {} : { memory }),
          },
          replace: true,
        })
      }
    />
  );
}
