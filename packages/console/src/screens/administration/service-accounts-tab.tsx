import type { ServiceAccount, Whoami } from "@berth/sdk";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Facts } from "../../ui/section.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { useSave } from "../../ui/use-save.ts";
import { placeOf } from "../tokens/token-form.ts";
import { MemberFacts } from "./member-facts.tsx";
import { NewTokenFor } from "./new-token-for.tsx";
import { refreshAdministration, useServiceAccounts } from "./queries.ts";
import { SearchedList } from "./searched-list.tsx";
import type { TabProps } from "./tab-props.ts";

/** Shows the service accounts of the organization. */
export function ServiceAccountsTab({ me, search, change }: TabProps) {
  const list = useServiceAccounts();
  const add = () => change({ create: true });
  const label = "New service account";
  useShortcuts([{ keys: "n", label, group: "List", run: add }]);
  useActions([{ id: "new account", label, group: "Action", icon: "plus", keys: "n", run: add }]);
  const opened = list.items.find(({ id }) => id === search.open);
  return (
    <>
      <SearchedList
        search={search}
        change={change}
        label="Service accounts"
        placeholder="Name or id"
        actions={
          <Button look="primary" size="small" icon="plus" onClick={add}>
            {label}
          </Button>
        }
        list={list}
        textsOf={({ name, id }) => [name, id]}
        columns={columns}
        empty={
          <EmptyList
            icon="agent"
            title="No service accounts yet"
            verb={label}
            command="berth admin service-accounts create nightly"
            onAdd={add}
          >
            A service account lets a program call the API with tokens of its own. What it creates belongs to
            the organization.
          </EmptyList>
        }
      />
      {search.create === true && (
        <NewAccount
          me={me}
          onClose={() => change({ create: undefined })}
          onMade={({ id }) => change({ create: undefined, open: id })}
        />
      )}
      {opened !== undefined && (
        <AccountDialog account={opened} me={me} onClose={() => change({ open: undefined })} change={change} />
      )}
    </>
  );
}

function columns(onOpen: (account: ServiceAccount) => void): Column<ServiceAccount>[] {
  return [
    {
      title: "Name",
      className: "pl-4",
      cellClass: "max-w-0 w-full",
      cell: (account) => (
        <span className="flex items-center gap-2">
          <button type="button" onClick={() => onOpen(account)} className={`${lineLinkClass} text-left`}>
            {showUnseen(account.name)}
          </button>
          {account.disabled_at !== null && <Badge tone="warn">Disabled</Badge>}
        </span>
      ),
    },
    agoColumn("Created", "pr-4", ({ created_at }) => created_at),
  ];
}

type NewProps = { me: Whoami; onClose: () => void; onMade: (account: ServiceAccount) => void };

function NewAccount({ me, onClose, onMade }: NewProps) {
  const [name, setName] = useState("");
  const organization_id = me.organization.id;
  const { save, busy, error, faultAt } = useSave({
    act: () => berth.admin.serviceAccounts.create({ name: name.trim(), organization_id }),
    placeOf,
    onSaved: async (made) => {
      await refreshAdministration();
      onMade(made);
    },
  });
  const fault = faultAt("name");
  return (
    <FormDialog
      open
      onClose={onClose}
      title="New service account"
      verb="Create"
      busy={busy}
      onSave={save}
      error={fault === null ? error : null}
    >
      <TextField
        label="Name"
        hint="For example, the name of the program that uses it."
        error={fault}
        placeholder="nightly"
        value={name}
        onChange={setName}
        onKeyDown={(event) => event.key === "Enter" && save()}
      />
    </FormDialog>
  );
}

type AccountProps = { account: ServiceAccount; me: Whoami; onClose: () => void; change: TabProps["change"] };

function AccountDialog({ account, me, onClose, change }: AccountProps) {
  const [asked, setAsked] = useState<"disable" | "token" | null>(null);
  const close = () => setAsked(null);
  const done = async (said: string) => {
    await refreshAdministration();
    toast(said);
  };
  const enable = useMutation({
    mutationFn: () =>
      berth.admin.serviceAccounts.enable(account.id).then(() => done("The service account is enabled")),
  });
  const name = showUnseen(account.name);
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title={<span className="block truncate">{name}</span>}
        size="medium"
        actions={
          account.disabled_at === null ? (
            <>
              <Button onClick={() => setAsked("disable")}>Disable…</Button>
              <Button look="primary" icon="key" onClick={() => setAsked("token")}>
                New token
              </Button>
            </>
          ) : (
            <Button look="primary" busy={enable.isPending} onClick={() => enable.mutate()}>
              Enable
            </Button>
          )
        }
      >
        <Facts>
          <MemberFacts member={account} change={change} />
        </Facts>
        {enable.error !== null && <ErrorBox error={enable.error} className="mt-4" />}
      </Dialog>
      <NewTokenFor
        bearer={asked === "token" ? { service_account_id: account.id, name: account.name } : null}
        me={me}
        onClose={close}
      />
      <Confirm
        open={asked === "disable"}
        onClose={close}
        title={`Disable ${name}?`}
        verb="Disable"
        danger
        act={async () => {
          await berth.admin.serviceAccounts.disable(account.id);
          await done("The service account is disabled");
        }}
      >
        Its tokens are rejected from the next request on. What it created stays. You can enable it again.
      </Confirm>
    </>
  );
}
