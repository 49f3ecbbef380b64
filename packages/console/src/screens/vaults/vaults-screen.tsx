import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListScreen } from "../../shell/list-screen.tsx";
import { NameCell } from "../../shell/name-cell.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line } from "../../ui/table.tsx";
import { VaultDialog } from "./vault-dialog.tsx";

const route = getRouteApi("/vaults");

export function VaultsScreen() {
  const { create, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const add = () => void navigate({ search: { ...search, create: true }, replace: true });
  const open = ({ id }: Vault) => void navigate({ to: "/vaults/$vaultId", params: { vaultId: id } });
  useShortcuts([{ keys: "n", label: "New vault", group: "List", run: add }]);
  useActions([{ id: "new vault", label: "New vault", group: "Action", icon: "plus", keys: "n", run: add }]);
  return (
    <ListScreen
      title="Vaults"
      noun="vaults"
      operation={operations.vaults.list}
      load={(query) => berth.vaults.list(query)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      words={({ id, display_name }) => [id, display_name]}
      action={
        <Button look="primary" size="small" icon="plus" onClick={add}>
          New vault
        </Button>
      }
      onOpen={open}
      head={<Head />}
      line={(vault, place) => <VaultLine key={vault.id} vault={vault} {...place} />}
      empty={
        <EmptyList
          icon="vault"
          title="No vaults yet"
          command="berth vaults create -f display_name=Production"
          verb="New vault"
          onAdd={add}
        >
          A vault holds secrets that sessions use and never see: keys of APIs, and tokens of MCP servers.
        </EmptyList>
      }
    >
      <VaultDialog
        open={create === true}
        onClose={() => void navigate({ search, replace: true })}
        onSaved={open}
      />
    </ListScreen>
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4">Name</HeadCell>
      <HeadCell className="max-md:hidden">Id</HeadCell>
      <HeadCell className="max-lg:hidden">Labels</HeadCell>
      <HeadCell align="right" className="max-sm:hidden">
        Changed
      </HeadCell>
      <HeadCell align="right" className="pr-4">
        Created
      </HeadCell>
    </>
  );
}

function VaultLine({ vault, index, marked }: { vault: Vault; index: number; marked: boolean }) {
  const labels = Object.entries(vault.metadata);
  return (
    <Line index={index} marked={marked}>
      <NameCell
        id={vault.id}
        name={vault.display_name}
        isArchived={vault.archived_at !== null}
        className="sm:w-1/2"
      />
      <Cell className="max-md:hidden">
        <CopyId id={vault.id} short className="relative z-1" />
      </Cell>
      <Cell className="max-w-64 truncate text-muted max-lg:hidden">
        {labels.map(([name, value]) => showUnseen(`${name}: ${value}`)).join(", ")}
      </Cell>
      <Cell align="right" className="whitespace-nowrap text-faint max-sm:hidden">
        <Ago at={vault.updated_at} />
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={vault.created_at} />
      </Cell>
    </Line>
  );
}
