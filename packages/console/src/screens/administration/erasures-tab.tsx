import type { Erasure } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";
import { formatBytes, formatCount } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Fact, Facts } from "../../ui/section.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { downloadBlob } from "../../ui/text-viewer.tsx";
import { refreshAdministration, useErasures } from "./queries.ts";
import { SearchedList } from "./searched-list.tsx";
import type { TabProps } from "./tab-props.ts";

/** Milliseconds between reads of an erasure that is not complete. */
const LIVE_MS = 1_000;

/** Shows the erasures of users of the organization, with their receipts. */
export function ErasuresTab({ search, change }: TabProps) {
  const list = useErasures();
  return (
    <>
      <SearchedList
        search={search}
        change={change}
        label="Erasures"
        placeholder="User id"
        list={list}
        textsOf={({ id, subject_id }) => [id, subject_id]}
        columns={columns}
        empty={
          <Empty icon="trash" title="No erasures yet">
            An erasure deletes a user with all their data, and leaves a receipt here. To erase a user, open
            them under Users.
          </Empty>
        }
      />
      {search.open !== undefined && <Receipt id={search.open} onClose={() => change({ open: undefined })} />}
    </>
  );
}

function columns(onOpen: (erasure: Erasure) => void): Column<Erasure>[] {
  return [
    {
      title: "User or organization",
      className: "pl-4",
      cellClass: "max-w-0 w-full",
      cell: (erasure) => (
        <button
          type="button"
          onClick={() => onOpen(erasure)}
          className={`${lineLinkClass} max-w-full text-left font-mono text-xs`}
        >
          {erasure.subject_id}
        </button>
      ),
    },
    { title: "State", cell: (erasure) => <State erasure={erasure} /> },
    agoColumn("Requested", "pr-4", ({ requested_at }) => requested_at),
  ];
}

function State({ erasure }: { erasure: Erasure }) {
  return erasure.completed_at === null ? (
    <Badge tone="info" live>
      Erasing
    </Badge>
  ) : (
    <Badge tone="ok">Complete</Badge>
  );
}

/** Shows the receipt of an erasure, which grows until the erasure is complete. */
function Receipt({ id, onClose }: { id: string; onClose: () => void }) {
  const { data: erasure, error } = useQuery({
    queryKey: ["administration", "erasure", id],
    queryFn: async ({ signal }) => {
      const read = await berth.admin.erasures.get(id, { signal });
      if (read.completed_at !== null) void refreshAdministrationOnce(id);
      return read;
    },
    refetchInterval: ({ state }) => (state.data?.completed_at === null ? LIVE_MS : false),
  });
  const save = () =>
    downloadBlob(
      new Blob([`${JSON.stringify(erasure, null, 2)}\n`], { type: "application/json" }),
      `${id}.json`,
    );
  return (
    <Dialog
      open
      onClose={onClose}
      size="medium"
      title={
        <span className="flex items-center gap-2">
          Receipt {erasure !== undefined && <State erasure={erasure} />}
        </span>
      }
      actions={
        <>
          <Button icon="download" disabled={erasure === undefined} onClick={save}>
            Download
          </Button>
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {erasure === undefined && error === null && <Spinner className="my-4 text-faint" />}
      {erasure === undefined && error !== null && <ErrorBox error={error} />}
      {erasure !== undefined && <ReceiptFacts erasure={erasure} />}
    </Dialog>
  );
}

const refreshed = new Set<string>();

/** Reads the lists again, once for each erasure that was seen to end. */
async function refreshAdministrationOnce(id: string): Promise<void> {
  if (refreshed.has(id)) return;
  refreshed.add(id);
  await refreshAdministration();
}

/** Returns `Memory stores` for `memory_stores`. */
function wordsOf(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("_", " ")}`;
}

function ReceiptFacts({ erasure }: { erasure: Erasure }) {
  const deleted = Object.entries(erasure.deleted).toSorted(([one], [other]) => one.localeCompare(other));
  const { sessions, contents } = erasure.waiting_for;
  return (
    <div className="flex flex-col gap-4">
      <Facts>
        <Fact name={erasure.subject_type === "user" ? "User" : "Organization"}>
          <CopyId id={erasure.subject_id} />
        </Fact>
        <Fact name="Requested">
          <Ago at={erasure.requested_at} />
        </Fact>
        {erasure.completed_at !== null && (
          <Fact name="Complete">
            <Ago at={erasure.completed_at} />
          </Fact>
        )}
        {deleted.map(([kind, count]) => (
          <Fact key={kind} name={wordsOf(kind)}>
            {kind.endsWith("bytes") ? formatBytes(count) : formatCount(count)}
          </Fact>
        ))}
        {sessions.map(({ home, sessions: left }) => (
          <Fact key={home ?? ""} name="Waits for">
            {formatCount(left)} sessions{home === null ? "" : ` with disks at ${showUnseen(home)}`}
          </Fact>
        ))}
        {contents > 0 && <Fact name="Waits for">{formatCount(contents)} contents of files and skills</Fact>}
        {erasure.handed_over.length > 0 && (
          <Fact name="Kept for others">
            <ul>
              {erasure.handed_over.map((id) => (
                <li key={id}>
                  <CopyId id={id} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact name="Not erased">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-muted">
            {erasure.remains.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </Fact>
      </Facts>
      <JsonView value={erasure} />
    </div>
  );
}
