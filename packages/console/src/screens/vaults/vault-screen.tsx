import type { Vault } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useActions } from "../../shell/actions.ts";
import { ApiTab, Loaded, ObjectHeading } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { toast } from "../../ui/toast.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { Credentials } from "./credentials.tsx";
import { refreshVaults, vaultQuery } from "./queries.ts";
import { VaultDialog } from "./vault-dialog.tsx";
import type { VaultSearch } from "./vault-search.ts";

const route = getRouteApi("/vaults/$vaultId");

export function VaultScreen() {
  const { vaultId } = route.useParams();
  const vault = useQuery(vaultQuery(vaultId));
  return (
    <Loaded query={vault} title="Vault">
      {(found) => <VaultPage vault={found} />}
    </Loaded>
  );
}

function VaultPage({ vault }: { vault: Vault }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [asks, setAsks] = useState<"archive" | "delete" | null>(null);
  const change = (part: { [Key in keyof VaultSearch]?: VaultSearch[Key] | undefined }) => {
    const next = Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(next), replace: true });
  };
  const isArchived = vault.archived_at !== null;
  const add = () => change({ form: "new", tab: undefined });
  const close = () => change({ form: undefined });
  const params = { vault_id: vault.id };
  useShortcuts(isArchived ? [] : [{ keys: "n", label: "New credential", group: "Vault", run: add }]);
  useActions(
    isArchived
      ? []
      : [
          {
            id: "add credential",
            label: "New credential",
            group: "Vault",
            icon: "plus",
            keys: "n",
            run: add,
          },
          {
            id: "archive vault",
            label: "Archive this vault",
            group: "Vault",
            icon: "archive",
            run: () => setAsks("archive"),
          },
        ],
  );
  return (
    <Page
      title={vault.display_name}
      heading={<ObjectHeading list="Vaults" to="/vaults" name={vault.display_name} />}
      about={
        <>
          {isArchived && <Badge>Archived</Badge>}
          <CopyId id={vault.id} className="max-md:hidden" />
        </>
      }
      actions={
        <>
          {!isArchived && (
            <Button look="primary" size="small" icon="plus" onClick={add}>
              New credential
            </Button>
          )}
          <Menu trigger={<IconButton icon="dots" label="More of this vault" />}>
            {!isArchived && (
              <>
                <MenuItem icon="vault" onSelect={() => change({ form: "vault" })}>
                  Change name and labels
                </MenuItem>
                <MenuItem icon="archive" onSelect={() => setAsks("archive")}>
                  Archive
                </MenuItem>
                <MenuLine />
              </>
            )}
            <MenuItem icon="trash" danger onSelect={() => setAsks("delete")}>
              Delete
            </MenuItem>
          </Menu>
        </>
      }
      fixed
    >
      <Tabs
        label="Parts of the vault"
        className="flex-1"
        value={search.tab ?? "credentials"}
        onChange={(tab) => change({ tab: tab === "credentials" ? undefined : tab })}
        tabs={[
          {
            id: "credentials",
            label: "Credentials",
            content: () => <Credentials vault={vault} search={search} change={change} />,
          },
          {
            id: "api",
            label: "JSON and CLI",
            content: () => (
              <div className="h-full overflow-y-auto">
                <ApiTab
                  value={vault}
                  calls={[
                    { operation: operations.vaults.get, params },
                    { operation: operations.vaultCredentials.list, params },
                    { operation: operations.vaults.archive, params },
                  ]}
                />
              </div>
            ),
          },
        ]}
      />
      <CredentialDialog vaultId={vault.id} open={search.form === "new"} onClose={close} />
      <VaultDialog vault={vault} open={search.form === "vault"} onClose={close} onSaved={close} />
      <Confirm
        open={asks === "archive"}
        onClose={() => setAsks(null)}
        title={`Archive ${vault.display_name}?`}
        verb="Archive"
        danger
        act={async () => {
          await berth.vaults.archive(vault.id);
          await refreshVaults();
          toast("The vault is archived");
        }}
      >
        Its secrets are destroyed, and sessions that use them get none from their next call. This cannot be
        undone.
      </Confirm>
      <Confirm
        open={asks === "delete"}
        onClose={() => setAsks(null)}
        title={`Delete ${vault.display_name}?`}
        verb="Delete"
        danger
        act={async () => {
          await berth.vaults.delete(vault.id);
          await navigate({ to: "/vaults" });
          await refreshVaults();
          toast("The vault is deleted");
        }}
      >
        The vault and its credentials are deleted. This cannot be undone.
      </Confirm>
    </Page>
  );
}
