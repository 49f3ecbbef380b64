import type { ForwardResource } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useActions } from "../../shell/actions.ts";
import { hasText } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { SearchField } from "../../shell/search-field.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Owner } from "../../ui/owner.tsx";
import { Cell, HeadCell, Line, lineLinkClass } from "../../ui/table.tsx";
import { FORWARD_TYPES, type ForwardSearch, nameOf } from "./forward-search.ts";
import { RegisterDialog } from "./register-dialog.tsx";
import { ResourceDialog } from "./resource-dialog.tsx";

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
  const change = (part: { [Key in keyof ForwardSearch]?: ForwardSearch[Key] | undefined }) => {
    const next = Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(next), replace: true });
  };
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
        A list that other programs read: what you register here, they find by its id, always as it is now.
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
            label="Kind"
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
        head={
          <>
            <HeadCell className="pl-4">Name</HeadCell>
            <HeadCell className="max-sm:hidden">Id</HeadCell>
            <HeadCell className="max-md:hidden">Registered by</HeadCell>
            <HeadCell align="right" className="pr-4">
              Created
            </HeadCell>
          </>
        }
        line={(resource, place) => (
          <ResourceLine
            key={resource.id}
            resource={resource}
            onOpen={() => change({ resource: resource.id })}
            {...place}
          />
        )}
        empty={
          <Empty
            icon={kind.icon}
            title={`No ${kind.one} is registered`}
            command={`berth forward register --input - <<< '{"type":"${type}","resource":{"id":"…"}}'`}
            action={
              <Button look="primary" icon="plus" onClick={openForm}>
                Register one
              </Button>
            }
          >
            Register one, and every program with your token finds it here.
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

type LineProps = { resource: ForwardResource; index: number; marked: boolean; onOpen: () => void };

function ResourceLine({ resource, index, marked, onOpen }: LineProps) {
  const kind = FORWARD_TYPES.find(({ value }) => value === resource.type);
  return (
    <Line index={index} marked={marked}>
      <Cell className="max-w-0 pl-4 sm:w-1/2">
        <span className="flex items-center gap-3">
          <Icon name={kind?.icon ?? "file"} className="text-faint" />
          <button type="button" onClick={onOpen} className={`${lineLinkClass} min-w-0 text-left`}>
            {showUnseen(nameOf(resource))}
          </button>
        </span>
      </Cell>
      <Cell className="max-sm:hidden">
        <CopyId id={resource.id} short className="relative z-1" />
      </Cell>
      <Cell className="max-w-64 max-md:hidden">
        <Owner id={resource.owner_id} className="relative z-1 flex-nowrap" />
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={resource.resource_spec.created_at} />
      </Cell>
    </Line>
  );
}
