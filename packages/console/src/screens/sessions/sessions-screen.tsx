import { operations } from "@berth/sdk/operations";
import { getRouteApi, Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useWaiting } from "../../api/queries/sessions.ts";
import { useList } from "../../api/use-list.ts";
import { Page } from "../../shell/page.tsx";
import { useListKeys } from "../../shell/use-list-keys.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/moment.tsx";
import { HeadCell, Table } from "../../ui/table.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { listQuery, type SessionFilters } from "./session-filters.ts";
import { SessionLine } from "./session-line.tsx";

const route = getRouteApi("/");

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
  const shown = list.items;
  const open = (index: number) => {
    const session = shown[index];
    if (session !== undefined)
      void navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } });
  };
  const marked = useListKeys(shown.length, open);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Sessions"
      waiting={waiting.ids.size}
      about={
        waiting.ids.size > 0 && (
          <Link to="/" search={{ state: "requires_action" }}>
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
      {list.error !== null && (
        <ErrorBox error={list.error} retry={() => void list.refetch()} className="m-4" />
      )}
      {shown.length > 0 && (
        <Table label="Sessions" head={<Head />}>
          {shown.map((session, index) => (
            <SessionLine key={session.id} session={session} index={index} marked={index === marked} />
          ))}
        </Table>
      )}
      {list.isSuccess &&
        shown.length === 0 &&
        !list.isFetchingNextPage &&
        (isFiltered ? <NothingFits /> : <NoSessions />)}
      {list.hasNextPage && (
        <div className="flex items-center justify-center gap-3 p-4 text-faint">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Page>
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4 max-sm:hidden">State</HeadCell>
      <HeadCell>Title</HeadCell>
      <HeadCell className="max-md:hidden">Agent</HeadCell>
      <HeadCell className="max-lg:hidden">Repositories</HeadCell>
      <HeadCell align="right" className="max-md:hidden">
        Tokens
      </HeadCell>
      <HeadCell align="right" className="max-lg:hidden">
        Cost
      </HeadCell>
      <HeadCell align="right" className="pr-4 max-sm:hidden">
        Last activity
      </HeadCell>
    </>
  );
}

function NothingFits() {
  return (
    <Empty
      icon="filter"
      title="No session fits"
      action={
        <Link to="/" search={{}} className={buttonClass()}>
          Clear the filters
        </Link>
      }
    >
      Change the filters, or look at all of them.
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
      A session is an agent at work in a sandbox of its own. Start one here, or by the command line.
    </Empty>
  );
}
