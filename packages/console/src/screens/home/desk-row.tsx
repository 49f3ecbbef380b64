import { type Session, standingOf } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { DeploymentMark } from "../../shell/deployment-mark.tsx";
import { IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { STANDINGS } from "../../ui/standings.ts";
import { lineLinkClass } from "../../ui/table.tsx";
import { UnseenMark } from "../../ui/unseen-mark.tsx";
import { outcomeWords, TELLING } from "./outcome-words.ts";

type Props = {
  session: Session;
  /** Its place among all rows. */
  index: number;
  marked: boolean;
  onMark: (unseen: boolean) => void;
};

/** Shows a session on the desk: what it is, what it came to, and when. */
export function DeskRow({ session, index, marked, onMark }: Props) {
  const { unseen } = session;
  const title = showUnseen(session.title) || "Untitled session";
  const repository = repositoryOf(session);
  return (
    <li
      data-list-index={index}
      aria-current={marked || undefined}
      className={cx(
        "group relative grid grid-cols-[0.5rem_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 py-2 hover:bg-hover md:grid-cols-[0.5rem_minmax(0,1fr)_minmax(0,11rem)_minmax(0,8rem)_auto]",
        marked && "bg-selected",
      )}
    >
      <span className="flex">{unseen && <UnseenMark />}</span>
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: session.id }}
            className={cx(lineLinkClass, !unseen && "font-normal! text-muted")}
          >
            {title}
          </Link>
          <DeploymentMark id={session.deployment_id} />
        </span>
        <Outcome session={session} />
        <span className="block truncate text-xs text-faint md:hidden">
          {[showUnseen(session.agent.name), repository].filter(Boolean).join(" · ")}
        </span>
      </span>
      <span className="flex min-w-0 items-center gap-1.5 text-muted max-md:hidden">
        {repository !== "" && (
          <>
            <Icon name="branch" className="size-3.5 text-faint" />
            <span className="truncate">{repository}</span>
          </>
        )}
      </span>
      <span className="truncate text-muted max-md:hidden">{showUnseen(session.agent.name)}</span>
      <span className="flex items-center gap-1">
        <Ago at={session.updated_at} className="text-xs whitespace-nowrap text-faint" />
        <IconButton
          icon={unseen ? "check" : "eyeOff"}
          label={unseen ? "Mark as seen" : "Mark as unseen"}
          keys={unseen ? "e" : "u"}
          onClick={() => onMark(!unseen)}
          className={cx(
            "relative z-10",
            !marked && "md:opacity-0 md:group-focus-within:opacity-100 md:group-hover:opacity-100",
          )}
        />
      </span>
    </li>
  );
}

const TONES = { bad: "text-bad", warn: "text-warn", info: "text-info", neutral: "text-muted" } as const;

/** Shows the state, and what was asked, said or reported last. Running sessions have not come to anything yet. */
function Outcome({ session }: { session: Session }) {
  const standing = standingOf(session);
  const { tone, text } = STANDINGS[standing];
  const ended = session.last_turn?.ended_at;
  const { data: words } = useQuery({
    queryKey: ["sessions", session.id, "outcome", ended],
    queryFn: async ({ signal }) => {
      const query = { order: "desc", types: TELLING, limit: EVENTS } as const;
      return outcomeWords((await berth.sessions.events.list(session.id, query, { signal })).data);
    },
    enabled: session.status === "idle" && ended !== undefined && standing !== "repository_failed",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const broken = standing === "repository_failed" ? cloneError(session) : null;
  const shown = session.status === "idle" ? (broken ?? words) : null;
  return (
    <span className="block truncate text-xs text-muted">
      <span className={TONES[tone as keyof typeof TONES] ?? "text-muted"}>{text}</span>
      {shown && ` · ${showUnseen(shown)}`}
    </span>
  );
}

/** The newest events that are read: the end of the turn, and what it is about. */
const EVENTS = 6;

function cloneError({ resources }: Session): string | null {
  const failed = resources.flatMap((one) => ("url" in one && one.error !== null ? [one.error.message] : []));
  return failed[0] ?? null;
}

function repositoryOf({ resources }: Session): string {
  const [first, ...more] = resources.flatMap((one) => ("url" in one ? [one.url] : []));
  if (first === undefined) return "";
  const name = first.replace(/^https?:\/\/[^/]+\//, "").replace(/\.git$/, "");
  return showUnseen(more.length > 0 ? `${name} +${more.length}` : name);
}
