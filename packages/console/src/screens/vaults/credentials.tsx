import type { Vault } from "@berth/sdk";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { FilterToggle } from "../../ui/filter-menu.tsx";
import { Ago } from "../../ui/moment.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { CredentialCard } from "./credential-card.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { useVaultSearch } from "./use-vault-search.ts";

/** Milliseconds between reads of the credentials. */
const LIVE_MS = 15_000;

/** Shows the credentials of a vault, without their secrets, which cannot be read. */
export function Credentials({ vault }: { vault: Vault }) {
  const [search, change] = useVaultSearch();
  const query = { limit: 100, ...(search.archived ? { include_archived: true } : {}) };
  const list = useList(
    ["vaults", vault.id, "credentials", query],
    () => berth.vaults.credentials.list(vault.id, query),
    { live: LIVE_MS },
  );
  const isArchived = vault.archived_at !== null;
  const edited = list.items.find(({ id }) => id === search.form);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-4xl flex-col gap-4 px-4 py-5">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
          {Object.entries(vault.metadata).map(([name, value]) => (
            <span key={name}>
              <span className="text-faint">{showUnseen(name)}</span> {showUnseen(value)}
            </span>
          ))}
          <span className="text-faint">
            Created <Ago at={vault.created_at} />
          </span>
          <FilterToggle
            label="Archived"
            icon="archive"
            on={search.archived}
            onChange={(archived) => change({ archived })}
            className="ml-auto"
          />
        </div>
        {list.error !== null && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
        {list.items.map((credential) => (
          <CredentialCard
            key={credential.id}
            credential={credential}
            onEdit={() => change({ form: credential.id })}
          />
        ))}
        <ShowMore list={list} className="self-center" />
      </div>
      {list.isSuccess && list.items.length === 0 && (
        <Empty
          icon="key"
          title={isArchived ? "Its credentials are archived" : "No credentials yet"}
          {...(isArchived
            ? {}
            : {
                action: (
                  <Button look="primary" icon="plus" onClick={() => change({ form: "new" })}>
                    New credential
                  </Button>
                ),
                command: `berth vaults credentials create ${vault.id} --input credential.json`,
              })}
        >
          {isArchived
            ? "Their secrets were destroyed with the vault."
            : "A credential is a secret that sessions use without reading it: a variable of the sandbox, or the token of an MCP server."}
        </Empty>
      )}
      {edited !== undefined && (
        <CredentialDialog
          vaultId={vault.id}
          credential={edited}
          open
          onClose={() => change({ form: undefined })}
        />
      )}
    </div>
  );
}
