import type { Session } from "@berth/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Desk, type DeskGroup, deskQuery, markAllSeen, markSessions } from "../../api/queries/desk.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { Page } from "../../shell/page.tsx";
import { Problem } from "../../shell/problem.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { useListKeys } from "../../shell/use-list-keys.ts";
import { Button, buttonClass, Spinner } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toastError } from "../../ui/toast.tsx";
import { DeskRow } from "./desk-row.tsx";
import { EmptyDesk } from "./empty-desk.tsx";
import { NotificationLine } from "./notification-line.tsx";

const GROUPS: readonly { group: DeskGroup; title: string }[] = [
  { group: "waits", title: "Waits for you" },
  { group: "failed", title: "Failed" },
  { group: "done", title: "Done, not seen yet" },
  { group: "running", title: "Running" },
];

/** Milliseconds between reads of the desk. */
const LIVE_MS = 4_000;
/** Rows of each group at first, and the most. */
const FEW = 10;
const MANY = 100;

/** Shows what waits for the user, what failed, what is done and not seen, and what runs. */
export function HomeScreen() {
  const navigate = useNavigate();
  const [limit, setLimit] = useState(FEW);
  const desk = useQuery({ ...deskQuery(limit), refetchInterval: LIVE_MS, placeholderData: keepPreviousData });
  const rows = rowsOf(desk.data);
  const open = ({ id }: Session) => void navigate({ to: "/sessions/$sessionId", params: { sessionId: id } });
  const marked = useListKeys(rows.length, (index) => rows[index] && open(rows[index]), "Home");
  const onError = (error: Error) => toastError("The sessions keep their marks", error.message);
  const mark = (session: Session | undefined, unseen: boolean) => {
    if (session !== undefined && session.unseen !== unseen) markSessions([session], unseen).catch(onError);
  };
  const all = useMutation({ mutationFn: markAllSeen, onError });
  const unseen = rows.some((session) => session.unseen);
  useShortcuts([
    ...(marked < 0
      ? []
      : [
          { keys: "e", label: "Mark as seen", group: "Home", run: () => mark(rows[marked], false) },
          { keys: "u", label: "Mark as unseen", group: "Home", run: () => mark(rows[marked], true) },
        ]),
    { keys: "E", label: "Mark all as seen", group: "Home", run: () => unseen && all.mutate() },
  ]);
  return (
    <Page
      title="Home"
      waiting={desk.data?.waits.length ?? 0}
      actions={
        <>
          <Button
            size="small"
            look="quiet"
            icon="check"
            busy={all.isPending}
            disabled={!unseen}
            onClick={() => all.mutate()}
          >
            Mark all as seen
          </Button>
          <Link to="/new" className={cx(buttonClass("primary", "small"), "md:hidden")}>
            <Icon name="plus" /> New<span className="max-sm:sr-only"> session</span>
          </Link>
        </>
      }
    >
      {desk.error !== null &&
        (desk.data === undefined ? (
          <Problem error={desk.error} retry={() => void desk.refetch()} />
        ) : (
          <ErrorBox error={desk.error} retry={() => void desk.refetch()} className="m-4" />
        ))}
      {desk.isPending && <Spinner className="m-6 text-faint" />}
      {desk.data !== undefined && (
        <>
          {rows.length === 0 && <EmptyDesk />}
          {GROUPS.map(({ group, title }) => (
            <Group
              key={group}
              title={title}
              more={desk.data.more.includes(group) && limit < MANY}
              onMore={() => setLimit(MANY)}
            >
              {desk.data[group].map((session) => {
                const index = rows.indexOf(session);
                return (
                  <DeskRow
                    key={session.id}
                    session={session}
                    index={index}
                    marked={index === marked}
                    onMark={(as) => mark(session, as)}
                  />
                );
              })}
            </Group>
          ))}
          <NotificationLine />
        </>
      )}
    </Page>
  );
}

function rowsOf(desk: Desk | undefined): readonly Session[] {
  return desk === undefined ? [] : GROUPS.flatMap(({ group }) => desk[group]);
}

type GroupProps = {
  title: string;
  /** Whether there are more. */
  more: boolean;
  onMore: () => void;
  children: readonly React.ReactNode[];
};

function Group({ title, more, onMore, children }: GroupProps) {
  if (children.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="sticky top-0 z-20 flex h-8 items-center gap-2 border-b border-line bg-panel px-4 text-xs font-medium text-muted">
        {title}
        <span className="text-faint tabular">
          {children.length}
          {more && "+"}
        </span>
      </h2>
      <ul aria-label={title}>{children}</ul>
      {more && (
        <div className="border-b border-line px-4 py-1.5">
          <Button size="small" look="quiet" onClick={onMore}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}
