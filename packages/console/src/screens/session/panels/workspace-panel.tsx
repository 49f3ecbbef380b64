import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { formatBytes, formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button, IconButton, Spinner } from "../../../ui/button.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { Ago } from "../../../ui/moment.tsx";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { NoDisk } from "./no-disk.tsx";
import { useDiskQuery } from "./use-disk-query.ts";
import { WorkspaceFile } from "./workspace-file.tsx";
import { parentOf, placesOf, rootOf } from "./workspace-places.ts";

type Entry = Awaited<ReturnType<typeof berth.sessions.workspace.list>>["data"][number];

const PAGE = 100;

/** Shows the current files of the sandbox. */
export function WorkspacePanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const navigate = useNavigate({ from: "/sessions/$sessionId" });
  const places = placesOf(session);
  const asked = useSearch({ from: "/sessions/$sessionId", select: (search) => search.path });
  const path = asked ?? places[0] ?? "/data";
  const [pages, setPages] = useState(1);
  const [shown, setShown] = useState<Entry | null>(null);
  const listing = useDiskQuery(["workspace", session.id, path, pages], view, (signal) =>
    readPages(session.id, path, pages, signal),
  );
  const go = (next: string) => {
    setPages(1);
    void navigate({ search: (before) => ({ ...before, path: next }), replace: true });
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Breadcrumbs path={path} places={places} onGo={go} onRefresh={() => void listing.refetch()} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {listing.error !== null ? (
          <NoDisk error={listing.error} retry={() => void listing.refetch()} />
        ) : listing.data === undefined ? (
          <Spinner className="m-4 text-faint" />
        ) : (
          <>
            <ul aria-label={`Entries of ${path}`}>
              {listing.data.entries.map((entry) => (
                <EntryLine key={entry.name} entry={entry} onGo={go} onShow={setShown} />
              ))}
            </ul>
            {listing.data.entries.length === 0 && <p className="p-4 text-muted">The directory is empty.</p>}
            {listing.data.hasMore && (
              <div className="p-3 text-center">
                <Button busy={listing.isFetching} onClick={() => setPages(pages + 1)}>
                  Show more than {formatPlural(listing.data.entries.length, "entry", "entries")}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
      {shown?.path != null && (
        <WorkspaceFile path={shown.path} size={shown.size_bytes ?? 0} onClose={() => setShown(null)} />
      )}
    </div>
  );
}

async function readPages(sessionId: string, path: string, pages: number, signal: AbortSignal) {
  let page = await berth.sessions.workspace.list(sessionId, { path, limit: PAGE }, { signal });
  const entries = [...page.data];
  for (let read = 1; read < pages && page.has_more; read++) {
    page = (await page.nextPage()) ?? page;
    entries.push(...page.data);
  }
  return { entries, hasMore: page.has_more };
}

type BreadcrumbProps = {
  path: string;
  places: readonly string[];
  onGo: (path: string) => void;
  onRefresh: () => void;
};

function Breadcrumbs({ path, places, onGo, onRefresh }: BreadcrumbProps) {
  const root = rootOf(path, places);
  const names = path.slice(root.length).split("/").filter(Boolean);
  return (
    <nav aria-label="Directory" className="flex items-center gap-1 border-b border-line px-3 py-1.5">
      <Menu
        align="start"
        trigger={
          <Button size="small" look="quiet" icon="folder">
            <span className="font-mono text-xs">{showUnseen(root)}</span>
            <Icon name="chevronDown" className="size-3 text-faint" />
          </Button>
        }
      >
        {places.map((place) => (
          <MenuItem key={place} onSelect={() => onGo(place)}>
            <span className="font-mono text-xs">{showUnseen(place)}</span>
          </MenuItem>
        ))}
      </Menu>
      <span className="flex min-w-0 flex-1 items-center overflow-x-auto font-mono text-xs">
        {names.map((name, index) => (
          <span key={names.slice(0, index + 1).join("/")} className="flex items-center">
            <span className="px-0.5 text-faint">/</span>
            <button
              type="button"
              onClick={() => onGo(`${root}/${names.slice(0, index + 1).join("/")}`)}
              className="rounded-sm px-1 whitespace-nowrap hover:bg-hover"
            >
              {showUnseen(name)}
            </button>
          </span>
        ))}
      </span>
      <IconButton
        icon="arrowUp"
        label="Parent directory"
        disabled={path === root}
        onClick={() => onGo(parentOf(path))}
      />
      <IconButton icon="refresh" label="Refresh" onClick={onRefresh} />
    </nav>
  );
}

const ICONS: Partial<Record<Entry["type"], IconName>> = {
  directory: "folder",
  file: "file",
  symlink: "link",
};

function EntryLine({
  entry,
  onGo,
  onShow,
}: {
  entry: Entry;
  onGo: (path: string) => void;
  onShow: (entry: Entry) => void;
}) {
  const { type, name, path, target, size_bytes: size, modified_at } = entry;
  const opens = path !== null && (type === "directory" || type === "file");
  const open = () => path !== null && (type === "directory" ? onGo(path) : onShow(entry));
  const line = (
    <>
      <Icon
        name={ICONS[type] ?? "lock"}
        className={type === "directory" ? "text-accent-text" : "text-muted"}
      />
      <span className="min-w-0 flex-1 truncate">
        {showUnseen(name)}
        {target !== null && <span className="text-faint"> → {showUnseen(target)}</span>}
        {!["file", "directory", "symlink"].includes(type) && <span className="text-faint"> ({type})</span>}
      </span>
      <span className="text-xs text-faint tabular">{size === null ? "" : formatBytes(size)}</span>
      <Ago at={modified_at} className="w-16 text-right text-xs text-faint" />
    </>
  );
  const look = "flex h-8 w-full items-center gap-2.5 px-4 text-left";
  return (
    <li className="border-b border-line">
      {opens ? (
        <button type="button" onClick={open} className={`${look} -outline-offset-2 hover:bg-hover`}>
          {line}
        </button>
      ) : (
        <span className={look}>{line}</span>
      )}
    </li>
  );
}
