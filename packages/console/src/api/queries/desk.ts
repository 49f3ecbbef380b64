import { type Page, type Session, standingOf } from "@berth/sdk";
import { type QueryKey, queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { queryClient } from "../query-client.ts";
import { noteTold } from "../told.ts";

/** The number of unseen sessions that are counted. */
export const UNSEEN_LIMIT = 20;

/** The sessions on the user's desk that the user has not seen, the latest first. */
export const unseenQuery = queryOptions({
  queryKey: ["sessions", "unseen"],
  queryFn: ({ signal }): Promise<Page<Session>> =>
    berth.sessions.list({ unseen: true, sort: "updated_at", limit: UNSEEN_LIMIT }, { signal }),
});

/** The sessions on the user's desk, in groups, each by last activity. `more` names the groups that have more. */
export type Desk = {
  waits: readonly Session[];
  failed: readonly Session[];
  done: readonly Session[];
  running: readonly Session[];
  more: readonly DeskGroup[];
};
export type DeskGroup = "waits" | "failed" | "done" | "running";

/** The newest sessions of each group. */
export const deskQuery = (limit: number) =>
  queryOptions({
    queryKey: ["sessions", "desk", limit],
    queryFn: async ({ signal }): Promise<Desk> => {
      const list = (query: NonNullable<Parameters<typeof berth.sessions.list>[0]>) =>
        berth.sessions.list({ mine: true, sort: "updated_at", limit, ...query }, { signal });
      const [waits, failed, broken, done, running] = await Promise.all([
        list({ outcomes: ["requires_action", "max_turns", "budget_reached"] }),
        list({ outcomes: ["retries_exhausted", "refusal"] }),
        list({ repository_failed: true }),
        list({ unseen: true, outcomes: ["end_turn", "cancelled", "none"] }),
        list({ statuses: ["running", "rescheduling"] }),
      ]);
      const isBroken = (session: Session) => standingOf(session) === "repository_failed";
      const allFailed = [...failed.data, ...broken.data.filter(isBroken)].toSorted((one, other) =>
        other.updated_at.localeCompare(one.updated_at),
      );
      const pages = { waits, failed, done, running };
      return {
        waits: waits.data,
        failed: allFailed.slice(0, limit),
        done: done.data.filter((session) => !isBroken(session)),
        running: running.data,
        more: (Object.keys(pages) as DeskGroup[]).filter(
          (group) => pages[group].has_more || (group === "failed" && allFailed.length > limit),
        ),
      };
    },
  });

/** Marks sessions as seen, or as unseen again, and shows that at once wherever they are. */
export async function markSessions(sessions: readonly Session[], unseen: boolean): Promise<void> {
  const ids = new Set(sessions.map(({ id }) => id));
  // Whoever marks it needs no notification of it.
  if (unseen) noteTold(sessions);
  await queryClient.cancelQueries({ predicate: isList });
  queryClient.setQueriesData<Desk>(
    { queryKey: ["sessions", "desk"] },
    (desk) => desk && marked(desk, ids, unseen),
  );
  for (const id of ids)
    queryClient.setQueryData<Session>(["sessions", id], (session) => session && { ...session, unseen });
  try {
    const left = [...ids];
    const mark = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop())
        await (unseen ? berth.sessions.markUnseen(id) : berth.sessions.markSeen(id));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, mark));
  } finally {
    await queryClient.invalidateQueries({ predicate: isList });
  }
}

const LISTS: readonly unknown[] = ["desk", "unseen", "list", "recent"];

/** Whether a query lists sessions. The others are of one session, whose marks do not change what they read. */
function isList({ queryKey: [noun, list] }: { queryKey: QueryKey }): boolean {
  return noun === "sessions" && LISTS.includes(list);
}

/** Requests at once. */
const AT_ONCE = 4;

/** Marks all sessions as seen that were unseen when this began, page by page. */
export async function markAllSeen(): Promise<void> {
  const all: Session[] = [];
  for await (const session of berth.sessions.list({ unseen: true, sort: "updated_at", limit: 100 }))
    all.push(session);
  await markSessions(all, false);
}

function marked(desk: Desk, ids: ReadonlySet<string>, unseen: boolean): Desk {
  const mark = (session: Session) => (ids.has(session.id) ? { ...session, unseen } : session);
  const { waits, failed, done, running, more } = desk;
  return {
    waits: waits.map(mark),
    failed: failed.map(mark),
    done: done.map(mark).filter((session) => session.unseen),
    running: running.map(mark),
    more,
  };
}
