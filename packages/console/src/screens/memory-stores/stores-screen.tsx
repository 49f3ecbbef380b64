import type { MemoryStore } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListScreen } from "../../shell/list-screen.tsx";
import { NameCell } from "../../shell/name-cell.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line } from "../../ui/table.tsx";
import { StoreDialog } from "./store-dialog.tsx";

const route = getRouteApi("/memory");

export function StoresScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [adding, setAdding] = useState(false);
  const add = () => setAdding(true);
  const open = ({ id }: MemoryStore) => void navigate({ to: "/memory/$storeId", params: { storeId: id } });
  useActions([{ id: "add", label: "New memory store", group: "Memory", icon: "plus", run: add }]);
  return (
    <ListScreen
      title="Memory"
      noun="memory stores"
      operation={operations.memoryStores.list}
      load={(query) => berth.memoryStores.list(query)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      words={({ name, description, id }) => [name, description, id]}
      action={
        <Button look="primary" size="small" icon="plus" onClick={add}>
          New store
        </Button>
      }
      onOpen={open}
      head={<Head />}
      line={(store, place) => <StoreLine key={store.id} store={store} {...place} />}
      empty={
        <EmptyList
          icon="memory"
          title="No memory stores yet"
          command="berth memory-stores create name=notes"
          verb="New store"
          onAdd={add}
        >
          A memory store has notes that agents keep over sessions. You can read and change them here.
        </EmptyList>
      }
    >
      <StoreDialog store={null} open={adding} onClose={() => setAdding(false)} onSaved={open} />
    </ListScreen>
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
      <NameCell id={id} name={name} isArchived={archived_at !== null} className="sm:w-1/3" />
      <Cell className="max-w-0 truncate text-muted max-md:hidden md:w-1/2">
        {showUnseen(description ?? "")}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={created_at} />
      </Cell>
    </Line>
  );
}
