import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { withChange } from "../../format/search.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListFilters } from "../../shell/list-filters.tsx";
import { hasText, LIVE_MS, listQueryOf } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Ago, useNow } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line, lineLinkClass } from "../../ui/table.tsx";
import { memoryStoresRoute } from "./route.ts";
import { StoreDialog } from "./store-dialog.tsx";

/** All memory stores that one may see, the newest first. */
export function StoresScreen() {
  const search = memoryStoresRoute.useSearch();
  const navigate = useNavigate({ from: "/memory" });
  const [adding, setAdding] = useState(false);
  const query = { ...listQueryOf(search, useNow()), limit: search.q === undefined ? 50 : 100 };
  const list = useList(["memory stores", "list", query], () => berth.memoryStores.list(query), {
    live: LIVE_MS,
  });
  const shown = list.items.filter(({ name, description, id }) => hasText([name, description, id], search));
  const add = () => setAdding(true);
  const clear = () => void navigate({ search: {}, replace: true });
  const toStore = (id: string) => void navigate({ to: "/memory/$storeId", params: { storeId: id } });
  useActions([{ id: "add", label: "New memory store", group: "Memory", icon: "plus", run: add }]);
  return (
    <Page
      title="Memory"
      actions={
        <>
          <CallButton calls={[{ operation: operations.memoryStores.list, query }]} />
          <Button look="primary" size="small" icon="plus" onClick={add}>
            New store
          </Button>
        </>
      }
    >
      <ListFilters
        search={search}
        onChange={(change) => void navigate({ search: withChange(search, change), replace: true })}
        onClear={clear}
      />
      <ObjectList
        label="Memory stores"
        list={list}
        shown={shown}
        searching={search.q !== undefined}
        filtered={Object.keys(search).length > 0}
        onClear={clear}
        onOpen={({ id }) => toStore(id)}
        head={<Head />}
        line={(store, place) => <StoreLine key={store.id} store={store} {...place} />}
        empty={<NoStores onAdd={add} />}
      />
      <StoreDialog
        store={null}
        open={adding}
        onClose={() => setAdding(false)}
        onSaved={({ id }) => toStore(id)}
      />
    </Page>
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4">Name</HeadCell>
      <HeadCell className="max-md:hidden">What it is for</HeadCell>
      <HeadCell align="right" className="pr-4">
        Created
      </HeadCell>
    </>
  );
}

function StoreLine({ store, ...place }: { store: MemoryStore; index: number; marked: boolean }) {
  const { id, name, description, archived_at, created_at } = store;
  return (
    <Line {...place}>
      <Cell className="max-w-0 pl-4 sm:w-1/3">
        <span className="flex items-center gap-2">
          <Link to="/memory/$storeId" params={{ storeId: id }} className={lineLinkClass}>
            {showUnseen(name)}
          </Link>
          {archived_at !== null && <Badge>Archived</Badge>}
        </span>
      </Cell>
      <Cell className="max-w-0 truncate text-muted max-md:hidden md:w-1/2">
        {showUnseen(description ?? "")}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={created_at} />
      </Cell>
    </Line>
  );
}

function NoStores({ onAdd }: { onAdd: () => void }) {
  return (
    <Empty
      icon="memory"
      title="No memory stores yet"
      command="berth memory-stores create name=notes"
      action={
        <Button look="primary" icon="plus" onClick={onAdd}>
          New store
        </Button>
      }
    >
      A memory store has notes that agents keep over sessions. You can read and change them here.
    </Empty>
  );
}
