import type { User } from "@berth/sdk";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyList } from "../../ui/empty.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { NewUserDialog } from "./new-user-dialog.tsx";
import { useUsers } from "./queries.ts";
import { SearchedList } from "./searched-list.tsx";
import type { TabProps } from "./tab-props.ts";
import { UserDialog } from "./user-dialog.tsx";

/** Shows the users of the organization. */
export function UsersTab({ me, search, change }: TabProps) {
  const list = useUsers();
  const add = () => change({ create: true });
  useShortcuts([{ keys: "n", label: "New user", group: "List", run: add }]);
  useActions([{ id: "new user", label: "New user", group: "Action", icon: "plus", keys: "n", run: add }]);
  const opened = list.items.find(({ id }) => id === search.open);
  return (
    <>
      <SearchedList
        search={search}
        change={change}
        label="Users"
        placeholder="Email or id"
        actions={
          <Button look="primary" size="small" icon="plus" onClick={add}>
            New user
          </Button>
        }
        list={list}
        textsOf={({ email, id }) => [email, id]}
        columns={(onOpen) => columns(me.principal.id, onOpen)}
        empty={
          <EmptyList
            icon="user"
            title="No users yet"
            verb="New user"
            command="berth admin users create ada@example.com"
            onAdd={add}
          >
            A user signs in to the console and the command line, and owns what they create.
          </EmptyList>
        }
      />
      <NewUserDialog open={search.create === true} me={me} onClose={() => change({ create: undefined })} />
      {opened !== undefined && (
        <UserDialog user={opened} me={me} onClose={() => change({ open: undefined })} change={change} />
      )}
    </>
  );
}

function columns(own: string, onOpen: (user: User) => void): Column<User>[] {
  return [
    {
      title: "Email",
      className: "pl-4",
      cellClass: "max-w-0 w-full",
      cell: (user) => (
        <span className="flex items-center gap-2">
          <button type="button" onClick={() => onOpen(user)} className={`${lineLinkClass} text-left`}>
            {showUnseen(user.email)}
          </button>
          {user.id === own && <Badge tone="accent">You</Badge>}
          {user.disabled_at !== null && <Badge tone="warn">Disabled</Badge>}
        </span>
      ),
    },
    {
      title: "Role",
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ role }) => (role === "admin" ? <span className="text-ink">Admin</span> : "Member"),
    },
    agoColumn("Created", "pr-4", ({ created_at }) => created_at),
  ];
}
