import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { memoryStoreQuery } from "../../api/queries/memory-stores.ts";
import { ApiTab, Loaded, ObjectHeading } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { MemoriesTab } from "./memories-tab.tsx";
import { memoryStoreRoute, type StoreTab } from "./route.ts";
import { StoreActions } from "./store-actions.tsx";
import { VersionsTab } from "./versions-tab.tsx";

/** A memory store: its memories as a tree, their versions, its JSON. */
export function StoreScreen() {
  const { storeId } = memoryStoreRoute.useParams();
  const query = useQuery(memoryStoreQuery(storeId));
  return (
    <Loaded query={query} title="Memory store">
      {(store) => <StorePage key={store.id} store={store} />}
    </Loaded>
  );
}

function StorePage({ store }: { store: MemoryStore }) {
  const { tab = "memories" } = memoryStoreRoute.useSearch();
  const navigate = useNavigate({ from: "/memory/$storeId" });
  const params = { memory_store_id: store.id };
  return (
    <Page
      title={store.name}
      heading={<ObjectHeading list="Memory" to="/memory" name={store.name} />}
      about={
        <>
          {store.archived_at !== null && <Badge>Archived</Badge>}
          <CopyId id={store.id} short className="max-md:hidden" />
        </>
      }
      actions={<StoreActions store={store} />}
      fixed
    >
      <Tabs<StoreTab>
        label="Memory store"
        className="min-h-0 flex-1"
        value={tab}
        onChange={(next) =>
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
          {
            id: "api",
            label: "JSON and CLI",
            content: () => (
              <ApiTab
                value={store}
                calls={[
                  { operation: operations.memoryStores.get, params },
                  { operation: operations.memories.list, params },
                ]}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}
