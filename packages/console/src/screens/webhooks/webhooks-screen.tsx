import type { Webhook } from "@berth/sdk";
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
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { formatName, targetOf, titleOf } from "./webhook-form.ts";
import { WebhookView } from "./webhook-view.tsx";

const route = getRouteApi("/webhooks");
const QUERY = { limit: 100 };

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: "Name",
    className: "pl-4",
    cellClass: "max-w-0 sm:w-1/2",
    cell: (webhook) => (
      <span className="flex items-center gap-2">
        <ObjectLink id={webhook.id} className={lineLinkClass}>
          {showUnseen(titleOf(webhook))}
        </ObjectLink>
        {webhook.state === "disabled" && <Badge>Disabled</Badge>}
      </span>
    ),
  },
  ownerColumn(),
  { title: "Sends", className: "max-sm:hidden", cell: ({ format }) => formatName(format) },
  {
    title: "To",
    className: "max-md:hidden",
    cellClass: "max-w-64 truncate text-muted",
    cell: (webhook) => showUnseen(targetOf(webhook)),
  },
  agoColumn("Created", "pr-4", ({ created_at }) => created_at),
];

/** Shows the webhooks that the user may see. */
export function WebhooksScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(["webhooks", "list"], () => berth.webhooks.list(QUERY));
  const close = () => void navigate({ search: {}, replace: true });
  const add = () => void navigate({ search: { create: true }, replace: true });
  const open = ({ id }: Webhook) => void navigate({ search: { webhook: id }, replace: true });
  const label = "New webhook";
  useShortcuts([{ keys: "n", label, group: "List", run: add }]);
  useActions([{ id: "new webhook", label, group: "Action", icon: "plus", keys: "n", run: add }]);
  const shown = list.items.find(({ id }) => id === search.webhook);
  return (
    <Page
      title="Webhooks"
      actions={
        <>
          <CallButton calls={[{ operation: operations.webhooks.list }]} />
          <Button look="primary" size="small" icon="plus" onClick={add}>
            {label}
          </Button>
        </>
      }
    >
      <ObjectList
        label="Webhooks"
        list={list}
        shown={list.items}
        searching={false}
        filtered={false}
        onClear={close}
        onOpen={open}
        columns={COLUMNS}
        empty={
          <Empty
            icon="send"
            title="No webhooks yet"
            command={`berth webhooks create -f url=https://hooks.example.com/berth -F 'enabled_events=["session.*"]'`}
            action={
              <Button look="primary" icon="plus" onClick={add}>
                {label}
              </Button>
            }
          >
            A webhook tells a program, a channel of Slack or people by mail what happens, such as that a
            session waits for an answer.
          </Empty>
        }
      />
      <WebhookDialog open={search.create === true} onClose={close} onSaved={open} />
      {shown !== undefined && <WebhookView webhook={shown} onClose={close} />}
    </Page>
  );
}
