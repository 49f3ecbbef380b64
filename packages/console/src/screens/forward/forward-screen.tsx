import type { ForwardResource } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { type Change, withChange } from "../../format/search.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { hasText } from "../../shell/list-search.ts";
import { ObjectLink } from "../../shell/object-link.tsx";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { SearchField } from "../../shell/search-field.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { CallPanel } from "../../ui/call-panel.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Owner } from "../../ui/owner.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { FORWARD_TYPES, type ForwardSearch, nameOf } from "./forward-search.ts";
import { RegisterDialog } from "./register-dialog.tsx";

const route = getRouteApi("/forward");

/** Milliseconds between reads of the list. */
const LIVE_MS = 15_000;

/** Shows the registry of resources that the user's other programs can find. */
export function ForwardScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const type = search.type ?? "environment";
  const kind = FORWARD_TYPES.find(({ value }) => value === type) ?? FORWARD_TYPES[0];
  const query = { type, limit: 50 };
  const list = useList(["forward", type], () => berth.forward.list(query), { live: LIVE_MS });
  const shown = list.items.filter((resource) => hasText([nameOf(resource), resource.id], search));
  const change = (part: Change<ForwardSearch>) =>
    void navigate({ search: withChange(search, part), replace: true });
  const openForm = () => change({ create: true });
  useShortcuts([{ keys: "n", label: "Register a resource", group: "List", run: openForm }]);
  useActions([
    {
      id: "register",
      label: "Register a resource",
      group: "Action",
      icon: "forward",
      keys: "n",
      run: openForm,
    },
  ]);
  const looked = list.items.find(({ id }) => id === search.resource);
  return (
    <Page
      title="Forward"
      actions={
        <>
          <CallButton calls={[{ operation: operations.forward.list, query }]} />
          <Button look="primary" size="small" icon="plus" onClick={openForm}>
            Register
          </Button>
        </>
      }
    >
      <p className="border-b border-line px-4 py-2 text-muted">
        Forward is a list of your skills, files, vaults and environments that you make known to your other
        programs. A program with your personal access token reads the list, and gets each resource in its
        current state, so that you need not configure ids in it. Registering copies nothing and gives nobody
        else access. To begin, register a resource that exists.{" "}
        <a href="/docs/guides/forward" target="_blank" rel="noopener" className="underline hover:text-ink">
          Guide to Forward
        </a>
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2">
        <SearchField
          label="Filter by text"
          placeholder="Name or id"
          value={search.q ?? ""}
          onChange={(q) => change({ q: q === "" ? undefined : q })}
        />
        <div className="max-w-full overflow-x-auto">
          <Segments
            label="Type"
            value={type}
            choices={FORWARD_TYPES}
            onChange={(next) => change({ type: next, resource: undefined })}
          />
        </div>
      </div>
      <ObjectList
        label="Registered resources"
        list={list}
        shown={shown}
        searching={search.q !== undefined}
        filtered={search.q !== undefined}
        onClear={() => change({ q: undefined })}
        onOpen={({ id }) => change({ resource: id })}
        columns={columnsOf(({ id }) => change({ resource: id }))}
        empty={
          <Empty
            icon={kind.icon}
            title={`No ${kind.label.toLowerCase()} are registered yet`}
            command={`berth forward resources register -f type=${type} -f resource.id=ID`}
            action={
              <Button look="primary" icon="plus" onClick={openForm}>
                Register {kind.one === "environment" ? "an" : "a"} {kind.one}
              </Button>
            }
          >
            Register one, and every program with your personal access token finds it in this list.
          </Empty>
        }
      />
      <RegisterDialog
        type={type}
        open={search.create === true}
        onType={(next) => change({ type: next })}
        onClose={() => change({ create: undefined })}
      />
      {looked !== undefined && (
        <ResourceDialog resource={looked} onClose={() => change({ resource: undefined })} />
      )}
    </Page>
  );
}

function columnsOf(onOpen: (resource: ForwardResource) => void): Column<ForwardResource>[] {
  return [
    {
      title: "Name",
      className: "pl-4",
      cellClass: "max-w-0 sm:w-1/2",
      cell: (resource) => (
        <span className="flex items-center gap-3">
          <Icon
            name={FORWARD_TYPES.find(({ value }) => value === resource.type)?.icon ?? "file"}
            className="text-faint"
          />
          <button
            type="button"
            onClick={() => onOpen(resource)}
            className={`${lineLinkClass} min-w-0 text-left`}
          >
            {showUnseen(nameOf(resource))}
          </button>
        </span>
      ),
    },
    {
      title: "Id",
      className: "max-sm:hidden",
      cell: ({ id }) => <CopyId id={id} short className="relative z-1" />,
    },
    {
      title: "Registered by",
      className: "max-md:hidden",
      cellClass: "max-w-64",
      cell: ({ owner_id }) => <Owner id={owner_id} className="relative z-1 flex-nowrap" />,
    },
    agoColumn("Created", "pr-4", ({ resource_spec }) => resource_spec.created_at),
  ];
}

/** Shows a registered resource as the registry returns it. */
function ResourceDialog({ resource, onClose }: { resource: ForwardResource; onClose: () => void }) {
  const { id, type } = resource;
  return (
    <Dialog
      open
      onClose={onClose}
      title={nameOf(resource)}
      size="medium"
      actions={
        <ObjectLink id={id} className={buttonClass("primary")}>
          Open the {type}
        </ObjectLink>
      }
    >
      <div className="flex flex-col gap-3">
        <CallPanel call={{ operation: operations.forward.register, body: { type, resource: { id } } }} />
        <JsonView value={resource} />
      </div>
    </Dialog>
  );
}
