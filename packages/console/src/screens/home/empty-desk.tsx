import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";

/** What the user has so far. */
const beginningQuery = {
  queryKey: ["sessions", "beginning"],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const [agents, sessions] = await Promise.all([
      berth.agents.list({ limit: 1 }, { signal }),
      berth.sessions.list({ mine: true, include_archived: true, limit: 1 }, { signal }),
    ]);
    return { hasAgent: agents.data.length > 0, hasSession: sessions.data.length > 0 };
  },
};

/** Shows that nothing needs the user, or what to do first. */
export function EmptyDesk() {
  const { data } = useQuery(beginningQuery);
  if (data === undefined) return null;
  if (!data.hasAgent)
    return (
      <Empty
        icon="agent"
        title="Create your first agent"
        action={
          <Link to="/agents/new" className={buttonClass("primary")}>
            New agent
          </Link>
        }
      >
        An agent is a model with instructions and tools. Create one, then start a session with it: its results
        are shown here.
      </Empty>
    );
  if (!data.hasSession)
    return (
      <Empty
        icon="session"
        title="Start your first session"
        command={'berth run "Say hello" --model rehearsal/steps'}
        action={
          <Link to="/new" className={buttonClass("primary")}>
            New session
          </Link>
        }
      >
        In a session, an agent works on a task in its own sandbox. Sessions that wait for you, fail or are
        done are shown here.
      </Empty>
    );
  return (
    <Empty
      icon="check"
      title="Nothing waits for you"
      action={
        <Link to="/sessions" className={buttonClass()}>
          All sessions
        </Link>
      }
    >
      No session waits for you, has failed or is running, and you have seen all that are done.
    </Empty>
  );
}
