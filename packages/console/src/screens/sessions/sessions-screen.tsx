import { operations } from "@berth/sdk/operations";
import { getRouteApi, Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useWaiting } from "../../api/queries/sessions.ts";
import { useList } from "../../api/use-list.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/moment.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { SESSION_COLUMNS } from "./session-columns.tsx";
import { listQuery, type SessionFilters } from "./session-filters.ts";

const route = getRouteApi("/sessions");

/** Milliseconds between reads of the list. */
const LIVE_MS = 3_000;
const PAGE = 50;

/** Shows all sessions that the user may see, by last activity. */
export function SessionsScreen() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow();
  const query = { ...listQuery(filters, now), limit: PAGE };
  const list = useList(["sessions", "list", query], () => berth.sessions.list(query), { live: LIVE_MS });
  const waiting = useWaiting(LIVE_MS);
  return (
    <Page
      title="Sessions"
      waiting={waiting.ids.size}
      about={
        waiting.ids.size > 0 && (
          <Link to="/sessions" search={{ state: "requires_action" }}>
            <Badge tone="warn" dot>
              {`${waiting.ids.size}${waiting.more ? "+" : ""}`} {waiting.ids.size === 1 ? "needs" : "need"} an
              answer
            </Badge>
          </Link>
        )
      }
      actions={
        <>
          <span className="contents max-sm:hidden">
            <CallButton calls={[{ operation: operations.sessions.list, query }]} />
          </span>
          <Link to="/new" className={cx(buttonClass("primary", "small"), "md:hidden")}>
            <Icon name="plus" /> New<span className="max-sm:sr-only"> session</span>
          </Link>
        </>
      }
    >
      <FilterBar
        filters={filters}
        owners={list.items.map((session) => session.owner_id)}
        onChange={(search: SessionFilters) => void navigate({ search, replace: true })}
      />
      <ObjectList
        label="Sessions"
        list={list}
        shown={list.items}
        searching={false}
        filtered={Object.keys(filters).length > 0}
        onOpen={({ id }) => void navigate({ to: "/sessions/$sessionId", params: { sessionId: id } })}
        columns={SESSION_COLUMNS}
        empty={<NoSessions />}
        nothing={<NothingFits />}
      />
    </Page>
  );
}

function NothingFits() {
  return (
    <Empty
      icon="filter"
      title="No sessions match"
      action={
        <Link to="/sessions" search={{}} className={buttonClass()}>
          Clear filters
        </Link>
      }
    >
      Change or clear the filters.
    </Empty>
  );
}

function NoSessions() {
  return (
    <Empty
      icon="session"
      title="No sessions yet"
      command={'berth run "Say hello" --model rehearsal/steps'}
      action={
        <Link to="/new" className={buttonClass("primary")}>
          New session
        </Link>
      }
    >
      In a session, an agent works on a task in its own sandbox. Start one here or from the command line.
    </Empty>
  );
}
