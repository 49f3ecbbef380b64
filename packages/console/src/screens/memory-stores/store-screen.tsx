import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { memoryStoreQuery } from "../../api/queries/memory-stores.ts";
import { Loaded } from "../../shell/object-page.tsx";
import { ObjectTabs } from "../../shell/object-tabs.tsx";
import { MemoriesTab } from "./memories-tab.tsx";
import { StoreActions } from "./store-actions.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const route = getRouteApi("/memory/$storeId");

/** Shows a memory store: its memories as a tree, their versions, its JSON. */
export function StoreScreen() {
  const { storeId } = route.useParams();
  const query = useQuery(memoryStoreQuery(storeId));
  return (
    <Loaded query={query} title="Memory store">
      {(store) => <StorePage key={store.id} store={store} />}
    </Loaded>
  );
}

function StorePage({ store }: { store: MemoryStore }) {
  const { tab = "memories" } = route.useSearch();
  const navigate = route.useNavigate();
  const params = { memory_store_id: store.id };
  return (
    <ObjectTabs
      noun="Memory store"
      name={store.name}
      value={store}
      list={{ name: "Memory", to: "/memory" }}
      actions={<StoreActions store={store} />}
      tab={tab}
      onTab={(next) =>
        void navigate({
          search: ({ memory }) => ({
            ...(next === "memories" ? {} : { tab: next }),
            ...(memory === undefined || memory === "new" ? {} : { memory }),
          }),
          replace: true,
        })
      }
      tabs={[
        { id: "memories", label: "Memories", content: () => <MemoriesTab store={store} /> },
        { id: "versions", label: "Versions", content: () => <VersionsTab store={store} /> },
      ]}
      calls={[
        { operation: operations.memoryStores.get, params },
        { operation: operations.memories.list, params },
      ]}
    />
  );
}
