import { Link } from "@tanstack/react-router";
import { berth } from "../api/client.ts";
import { useList } from "../api/use-list.ts";
import { showUnseen } from "../format/visible-text.ts";
import { ErrorBox } from "../ui/error-box.tsx";
import { Ago } from "../ui/moment.tsx";
import { StatusOf } from "../ui/session-status.tsx";
import { UnseenMark } from "../ui/unseen-mark.tsx";
import { LIVE_MS } from "./list-search.ts";

type Props = {
  query: { agent_id?: string; environment_id?: string };
  /** The same filter for the list of sessions. */
  search: { agent?: string; environment?: string };
};

/** Shows the newest five sessions of an object, with a link to all of them. */
export function RecentSessions({ query, search }: Props) {
  const list = useList(["sessions", "recent", query], () => berth.sessions.list({ ...query, limit: 5 }), {
    live: LIVE_MS,
  });
  if (list.error !== null) return <ErrorBox error={list.error} retry={() => void list.refetch()} />;
  if (list.isSuccess && list.items.length === 0) return <p className="text-muted">None yet.</p>;
  return (
    <>
      <ul className="-mx-2">
        {list.items.slice(0, 5).map((session) => (
          <li key={session.id}>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: session.id }}
              className="flex h-9 items-center gap-3 rounded-md px-2 hover:bg-hover"
            >
              <StatusOf session={session} />
              {session.unseen && <UnseenMark />}
              <span className="min-w-0 flex-1 truncate">
                {showUnseen(session.title) || "Untitled session"}
              </span>
              <Ago at={session.updated_at} className="text-xs text-faint" />
            </Link>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Link to="/sessions" search={search} className="mt-1 inline-block text-accent-text hover:underline">
          All its sessions
        </Link>
      )}
    </>
  );
}
