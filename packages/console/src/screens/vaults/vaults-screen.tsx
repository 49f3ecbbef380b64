import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { Link, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { ListFilters } from "../../shell/list-filters.tsx";
import { hasText, listQueryOf } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Ago, useNow } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line, lineLinkClass } from "../../ui/table.tsx";
import { vaultsRoute } from "./route.ts";
import { VaultDialog } from "./vault-dialog.tsx";

/** How often the list is read again. In milliseconds. */
const LIVE_MS = 15_000;

export function VaultsScreen() {
  const { create, ...search } = vaultsRoute.useSearch();
  const navigate = useNavigate({ from: "/vaults" });
  const now = useNow();
  const query = { ...listQueryOf(search, now), limit: 50 };
  const list = useList(["vaults", "list", query], () => berth.vaults.list(query), { live: LIVE_MS });
  const shown = list.items.filter(({ id, display_name }) => hasText([id, display_name], search));
  const change = (part: object) =>
    void navigate({ search: (before) => withoutUndefined({ ...before, ...part }), replace: true });
  const openForm = () => change({ create: true });
  const open = ({ id }: Vault) => void navigate({ to: "/vaults/$vaultId", params: { vaultId: id } });
  useShortcuts([{ keys: "n", label: "New vault", group: "List", run: openForm }]);
  useActions([
    { id: "new vault", label: "New vault", group: "Action", icon: "plus", keys: "n", run: openForm },
  ]);
  return (
    <Page
      title="Vaults"
      actions={
        <>
          <CallButton calls={[{ operation: operations.vaults.list, query }]} />
          <Button look="primary" size="small" icon="plus" onClick={openForm}>
            New vault
          </Button>
        </>
      }
    >
      <ListFilters search={search} onChange={change} onClear={() => void navigate({ search: {} })} />
      <ObjectList
        label="Vaults"
        list={list}
        shown={shown}
        searching={search.q !== undefined}
        filtered={Object.keys(search).length > 0}
        onClear={() => void navigate({ search: {} })}
        onOpen={open}
        head={
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
        }
        line={(vault, place) => <VaultLine key={vault.id} vault={vault} {...place} />}
        empty={
          <Empty
            icon="vault"
            title="No vaults yet"
            command={"berth vaults create -f display_name=Production"}
            action={
              <Button look="primary" icon="plus" onClick={openForm}>
                New vault
              </Button>
            }
          >
            A vault holds secrets that sessions use and never see: keys of APIs, and tokens of MCP servers.
          </Empty>
        }
      />
      <VaultDialog
        open={create === true}
        onClose={() => change({ create: undefined })}
        onSaved={(vault) => open(vault)}
      />
    </Page>
  );
}

function VaultLine({ vault, index, marked }: { vault: Vault; index: number; marked: boolean }) {
  const labels = Object.entries(vault.metadata);
  return (
    <Line index={index} marked={marked}>
      <Cell className="max-w-0 pl-4 sm:w-1/2">
        <span className="flex items-center gap-2">
          <Link to="/vaults/$vaultId" params={{ vaultId: vault.id }} className={lineLinkClass}>
            {showUnseen(vault.display_name)}
          </Link>
          {vault.archived_at !== null && <Badge>Archived</Badge>}
        </span>
      </Cell>
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

function withoutUndefined(search: object): object {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
