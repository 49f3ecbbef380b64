import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn, nameColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { CopyId } from "../../ui/copy.tsx";
import { VaultDialog } from "./vault-dialog.tsx";

const route = getRouteApi("/vaults");

const VAULTS: ListKind<Vault> = {
  title: "Vaults",
  noun: "vaults",
  icon: "vault",
  operation: operations.vaults.list,
  load: (query) => berth.vaults.list(query),
  words: ({ id, display_name }) => [id, display_name],
  columns: [
    nameColumn(({ display_name }) => display_name, "sm:w-1/2"),
    {
      title: "Id",
      className: "max-md:hidden",
      cell: ({ id }) => <CopyId id={id} short className="relative z-1" />,
    },
    {
      title: "Metadata",
      className: "max-lg:hidden",
      cellClass: "max-w-64 truncate text-muted",
      cell: ({ metadata }) =>
        Object.entries(metadata)
          .map(([name, value]) => showUnseen(`${name}: ${value}`))
          .join(", "),
    },
    agoColumn("Changed", "max-sm:hidden", ({ updated_at }) => updated_at),
    agoColumn("Created", "pr-4", ({ created_at }) => created_at),
  ],
  empty: {
    title: "No vaults yet",
    about: "A vault holds secrets that sessions use but never see: API keys, and tokens of MCP servers.",
    command: "berth vaults create -f display_name=Production",
  },
};

export function VaultsScreen() {
  const { create, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const add = () => void navigate({ search: { ...search, create: true }, replace: true });
  const open = ({ id }: Vault) => void navigate({ to: "/vaults/$vaultId", params: { vaultId: id } });
  useShortcuts([{ keys: "n", label: "New vault", group: "List", run: add }]);
  useActions([{ id: "new vault", label: "New vault", group: "Action", icon: "plus", keys: "n", run: add }]);
  return (
    <ListScreen
      kind={VAULTS}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      create={{ label: "New vault", icon: "plus", onAdd: add }}
    >
      <VaultDialog
        open={create === true}
        onClose={() => void navigate({ search, replace: true })}
        onSaved={open}
      />
    </ListScreen>
  );
}
