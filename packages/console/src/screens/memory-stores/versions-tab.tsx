import type { MemoryStore, MemoryVersion } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { memoriesQuery } from "../../api/queries/memory-stores.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { useListKeys } from "../../shell/use-list-keys.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Spinner } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { FilterMenu } from "../../ui/filter-menu.tsx";
import { Ago } from "../../ui/moment.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { VersionView } from "./version-view.tsx";

const route = getRouteApi("/memory/$storeId");

type Operation = MemoryVersion["operation"];

const OPERATIONS: readonly { value: Operation; label: string }[] = [
  { value: "created", label: "Created" },
  { value: "modified", label: "Changed" },
  { value: "deleted", label: "Deleted" },
];
const TONES: Record<Operation, Tone> = { created: "ok", modified: "info", deleted: "bad" };

/** Shows the changes of a store's memories, newest first, with the content of each change. */
export function VersionsTab({ store }: { store: MemoryStore }) {
  const { memory, version } = route.useSearch();
  const navigate = route.useNavigate();
  const [operation, setOperation] = useState<Operation>();
  const { data: memories = [] } = useQuery(memoriesQuery(store.id));
  const query = {
    limit: 50,
    ...(memory === undefined ? {} : { memory_id: memory }),
    ...(operation === undefined ? {} : { operation }),
  };
  const list = useList(
    ["memory stores", store.id, "versions", "list", query],
    () => berth.memoryStores.versions.list(store.id, query),
    { live: 5_000 },
  );
  const show = (id: string) =>
    void navigate({ search: (now) => ({ ...now, tab: "versions", version: id }), replace: true });
  const marked = useListKeys(list.items.length, (index) => show(list.items[index]?.id ?? ""));
  const shown = version ?? list.items[0]?.id;
  return (
    <div className="grid h-full min-h-0 content-start max-md:overflow-y-auto md:grid-cols-[19rem_minmax(0,1fr)] md:content-stretch">
      <div className="min-w-0 border-line max-md:max-h-80 max-md:overflow-y-auto max-md:border-b md:overflow-y-auto md:border-r">
        <div className="sticky top-0 z-10 flex flex-wrap gap-1 border-b border-line bg-canvas p-2">
          <FilterMenu
            label="Memory"
            choices={memories.map(({ id, path }) => ({ value: id, label: path }))}
            chosen={memory}
            onChange={(id) =>
              void navigate({
                search: { tab: "versions", ...(id === undefined ? {} : { memory: id }) },
                replace: true,
              })
            }
          />
          <FilterMenu label="Change" choices={OPERATIONS} chosen={operation} onChange={setOperation} />
        </div>
        {list.error !== null && <ErrorBox error={list.error} className="m-3" />}
        {list.isPending && <Spinner className="m-3 text-faint" />}
        <ol aria-label="Versions">
          {list.items.map((item, index) => (
            <VersionItem
              key={item.id}
              version={item}
              index={index}
              shown={item.id === shown}
              marked={index === marked}
              onShow={() => show(item.id)}
            />
          ))}
        </ol>
        <ShowMore list={list} size="small" className="p-3 text-center" />
      </div>
      <div className="min-w-0 md:overflow-y-auto">
        {shown !== undefined && <VersionView key={shown} store={store} versionId={shown} />}
        {list.isSuccess && list.items.length === 0 && (
          <Empty icon="clock" title="No versions yet">
            Each change of a memory, here or in a session, creates a version.
          </Empty>
        )}
      </div>
    </div>
  );
}

type ItemProps = {
  version: MemoryVersion;
  index: number;
  shown: boolean;
  marked: boolean;
  onShow: () => void;
};

function VersionItem({ version, index, shown, marked, onShow }: ItemProps) {
  const { operation, path, redacted_at, created_by, created_at } = version;
  return (
    <li data-list-index={index}>
      <button
        type="button"
        aria-current={shown || undefined}
        onClick={onShow}
        className={cx(
          "flex w-full flex-col gap-1 border-b border-line px-3 py-2 text-left",
          shown ? "bg-selected" : "hover:bg-hover",
          marked && "outline-2 -outline-offset-2 outline-focus",
        )}
      >
        <span className="flex items-center gap-2">
          <span className={cx("min-w-0 flex-1 truncate", path === null ? "text-faint" : "font-medium")}>
            {path === null ? "Redacted" : showUnseen(path)}
          </span>
          <Ago at={created_at} className="text-xs text-faint" />
        </span>
        <span className="flex items-center gap-2">
          <Badge tone={TONES[operation]}>{OPERATIONS.find(({ value }) => value === operation)?.label}</Badge>
          {redacted_at !== null && <Badge>redacted</Badge>}
          <span className="text-xs text-muted">
            {created_by.type === "session_actor" ? "by a session" : "over the API"}
          </span>
        </span>
      </button>
    </li>
  );
}
