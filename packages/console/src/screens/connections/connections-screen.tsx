import type { Connection } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn, ownerColumn } from "../../shell/list-columns.tsx";
import { ObjectLink } from "../../shell/object-link.tsx";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { ConnectionDialog } from "./connection-dialog.tsx";
import { typeName } from "./connection-form.ts";
import { ConnectionView } from "./connection-view.tsx";

const route = getRouteApi("/connections");
const QUERY = { limit: 100 };

const COLUMNS: readonly Column<Connection>[] = [
  {
    title: "Name",
    className: "pl-4",
    cellClass: "max-w-0 sm:w-1/2",
    cell: ({ id, display_name }) => (
      <ObjectLink id={id} className={lineLinkClass}>
        {showUnseen(display_name)}
      </ObjectLink>
    ),
  },
  ownerColumn("Used by"),
  { title: "Type", className: "max-sm:hidden", cell: ({ auth }) => typeName(auth.type) },
  {
    title: "Host",
    className: "max-md:hidden",
    cellClass: "max-w-64 truncate text-muted",
    cell: ({ url }) => showUnseen(url.replace("https://", "")),
  },
  agoColumn("Changed", "max-sm:hidden", ({ updated_at }) => updated_at),
  agoColumn("Created", "pr-4", ({ created_at }) => created_at),
];

/** Shows the connections to git hosts that the user may see. */
export function ConnectionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(["connections", "list"], () => berth.connections.list(QUERY));
  const close = () => void navigate({ search: {}, replace: true });
  const add = () => void navigate({ search: { create: true }, replace: true });
  const open = ({ id }: Connection) => void navigate({ search: { connection: id }, replace: true });
  const label = "New connection";
  useShortcuts([{ keys: "n", label, group: "List", run: add }]);
  useActions([{ id: "new connection", label, group: "Action", icon: "plus", keys: "n", run: add }]);
  const shown = list.items.find(({ id }) => id === search.connection);
  return (
    <Page
      title="Connections"
      actions={
        <>
          <CallButton calls={[{ operation: operations.connections.list }]} />
          <Button look="primary" size="small" icon="plus" onClick={add}>
            {label}
          </Button>
        </>
      }
    >
      <ObjectList
        label="Connections"
        list={list}
        shown={list.items}
        searching={false}
        filtered={false}
        onClear={close}
        onOpen={open}
        columns={COLUMNS}
        empty={
          <Empty
            icon="branch"
            title="No connections yet"
            command="berth connections create -f display_name=Acme -f auth.type=gitlab -f auth.token=@token"
            action={
              <Button look="primary" icon="plus" onClick={add}>
                {label}
              </Button>
            }
          >
            A connection holds a credential for GitHub, GitLab, Gitea, Bitbucket or another git host. Sessions
            get tokens for their repositories from it.
          </Empty>
        }
      />
      <ConnectionDialog open={search.create === true} onClose={close} onSaved={open} />
      {shown !== undefined && <ConnectionView connection={shown} onClose={close} />}
    </Page>
  );
}
