import type { AuditEntry } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { ObjectLink } from "../../shell/object-link.tsx";
import { ObjectList } from "../../shell/object-list.tsx";
import { objectPath } from "../../shell/object-paths.ts";
import { Button } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Input } from "../../ui/field.tsx";
import { ClearFilters, FilterMenu } from "../../ui/filter-menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { type AuditQuery, actorOf, auditQuery, exportAddress, summaryOf } from "./audit-query.ts";
import { ListBar } from "./list-bar.tsx";
import { auditKey, useServiceAccounts, useUsers } from "./queries.ts";
import type { TabProps } from "./tab-props.ts";

const LIVE_MS = 10_000;
const LIMIT = 50;

/** Shows who changed what in the organization, and exports it. */
export function AuditTab({ search, change }: TabProps) {
  const query = auditQuery(search);
  const list = useList(
    [...auditKey, query],
    () => berth.admin.auditEntries.list({ ...query, limit: LIMIT }),
    {
      live: LIVE_MS,
    },
  );
  const [users, accounts] = [useUsers(), useServiceAccounts()];
  const actors = [
    ...users.items.map(({ id, email }) => ({ value: id, label: email })),
    ...accounts.items.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const isFiltered = Object.keys(query).length > 0;
  const clear = () => change({ q: undefined, who: undefined, from: undefined, to: undefined });
  const opened = list.items.find(({ id }) => id === search.open);
  return (
    <>
      <ListBar
        search={search}
        change={change}
        placeholder="Operation or id"
        filters={
          <>
            <FilterMenu
              label="Actor"
              choices={actors}
              chosen={search.who}
              onChange={(who) => change({ who })}
            />
            <Day label="First day" value={search.from} onChange={(from) => change({ from })} />
            <span className="text-faint">–</span>
            <Day label="Last day" value={search.to} onChange={(to) => change({ to })} />
            <ClearFilters filters={query} onClear={clear} />
          </>
        }
        actions={<ExportMenu query={query} />}
      />
      <ObjectList
        label="Audit log"
        list={list}
        shown={list.items}
        searching={false}
        filtered={isFiltered}
        onClear={clear}
        onOpen={({ id }) => change({ open: id })}
        columns={columns(({ id }) => change({ open: id }))}
        empty={
          <Empty icon="shield" title="No entries yet">
            The audit log shows who changed what in the organization, and from where. Each change adds an
            entry.
          </Empty>
        }
      />
      {opened !== undefined && <EntryDialog entry={opened} onClose={() => change({ open: undefined })} />}
    </>
  );
}

type DayProps = { label: string; value: string | undefined; onChange: (day: string | undefined) => void };

function Day({ label, value, onChange }: DayProps) {
  return (
    <Input
      type="date"
      aria-label={`${label}, in UTC`}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
      className="h-7! w-36! px-2! tabular text-muted!"
    />
  );
}

/** Offers all entries that the filters select, as a file. */
function ExportMenu({ query }: { query: AuditQuery }) {
  const save = (format: "csv" | "jsonl") => {
    const link = document.createElement("a");
    link.href = exportAddress(operations.adminAuditEntries.export.path, query, format);
    link.download = `audit-log.${format}`;
    link.click();
  };
  return (
    <Menu
      trigger={
        <Button size="small" icon="download">
          Export <Icon name="chevronDown" className="size-3.5 text-faint" />
        </Button>
      }
    >
      <MenuItem onSelect={() => save("csv")}>CSV</MenuItem>
      <MenuItem onSelect={() => save("jsonl")}>JSON lines</MenuItem>
    </Menu>
  );
}

function columns(onOpen: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    {
      title: "Change",
      className: "pl-4",
      cellClass: "max-w-0 w-1/2 sm:w-1/4",
      cell: (entry) => (
        <button
          type="button"
          onClick={() => onOpen(entry)}
          className={`${lineLinkClass} max-w-full text-left`}
        >
          {showUnseen(summaryOf(entry))}
        </button>
      ),
    },
    {
      title: "Actor",
      cellClass: "max-w-0 w-1/2 truncate sm:w-1/4",
      cell: (entry) => showUnseen(actorOf(entry)),
    },
    {
      title: "Objects",
      className: "max-sm:hidden",
      cellClass: "max-w-0 w-1/3 truncate font-mono text-xs text-muted",
      cell: ({ resources }) => showUnseen(resources.join(" ")),
    },
    {
      title: "Client",
      className: "max-md:hidden",
      cellClass: "max-w-40 truncate text-muted",
      cell: ({ client }) => showUnseen(client),
    },
    agoColumn("When", "pr-4", ({ created_at }) => created_at),
  ];
}

function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { operation, resources, client, user_agent, request_id, created_at } = entry;
  return (
    <Dialog open onClose={onClose} size="medium" title={showUnseen(summaryOf(entry))}>
      <div className="flex flex-col gap-4">
        <Facts>
          <Fact name="Operation">
            <span className="font-mono text-xs">{showUnseen(operation)}</span>
          </Fact>
          <Fact name="Actor">{showUnseen(actorOf(entry))}</Fact>
          <Fact name="When">{created_at.replace("T", " ").replace(/\.\d+Z$/, " UTC")}</Fact>
          <Fact name="Client">
            {showUnseen(client)}
            {user_agent !== null && <span className="text-faint"> {showUnseen(user_agent)}</span>}
          </Fact>
          {resources.length > 0 && (
            <Fact name="Objects">
              <ul>
                {resources.map((id) => (
                  <li key={id} className="flex items-center gap-2">
                    <CopyId id={id} />
                    {objectPath(id) !== null && (
                      <ObjectLink id={id} className="text-accent-text hover:underline">
                        Open
                      </ObjectLink>
                    )}
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {request_id !== null && (
            <Fact name="Request">
              <CopyId id={request_id} />
            </Fact>
          )}
        </Facts>
        <JsonView value={entry} />
      </div>
    </Dialog>
  );
}
