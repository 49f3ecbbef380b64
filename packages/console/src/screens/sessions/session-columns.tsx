import type { Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useOwnerNames } from "../../api/queries/owners.ts";
import { whoamiQuery } from "../../api/queries/whoami.ts";
import { inputTokens } from "../../format/cost.ts";
import { formatDollars, formatShort } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { DeploymentMark } from "../../shell/deployment-mark.tsx";
import { agoColumn } from "../../shell/list-columns.tsx";
import { cx } from "../../ui/cx.ts";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { StatusOf } from "../../ui/session-status.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { UnseenMark } from "../../ui/unseen-mark.tsx";

/** The columns of the list of sessions. */
export const SESSION_COLUMNS: readonly Column<Session>[] = [
  {
    title: "State",
    className: "pl-4 max-sm:hidden",
    cellClass: "w-0 whitespace-nowrap",
    cell: (session) => <StatusOf session={session} />,
  },
  {
    title: "Title",
    cellClass: "max-w-0 min-w-0 py-1.5 sm:w-1/2",
    cell: (session) => (
      <>
        <span className="flex items-center gap-2">
          {session.unseen && <UnseenMark />}
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: session.id }}
            className={cx(lineLinkClass, session.title === "" && "text-muted")}
          >
            {showUnseen(session.title) || "Untitled session"}
          </Link>
          <DeploymentMark id={session.deployment_id} />
        </span>
        <span className="mt-0.5 flex items-center gap-2 truncate text-xs text-faint sm:hidden">
          <StatusOf session={session} />
          {showUnseen(session.agent.name)} · <Ago at={session.updated_at} />
        </span>
      </>
    ),
  },
  {
    title: "Agent",
    className: "max-md:hidden",
    cellClass: "max-w-44 truncate text-muted",
    cell: ({ agent }) => showUnseen(agent.name),
  },
  {
    title: "Owner",
    className: "max-xl:hidden",
    cellClass: "max-w-40 truncate text-muted",
    cell: ({ owner_id }) => <OwnerName id={owner_id} />,
  },
  {
    title: "Repositories",
    className: "max-lg:hidden",
    cellClass: "max-w-56",
    cell: ({ resources }) => <Repositories resources={resources} />,
  },
  {
    title: "Tokens",
    align: "right",
    className: "max-md:hidden",
    cellClass: "text-muted",
    cell: ({ usage }) => {
      const tokens = inputTokens(usage) + usage.output_tokens;
      return tokens > 0 && formatShort(tokens);
    },
  },
  {
    title: "Cost",
    align: "right",
    className: "max-lg:hidden",
    cellClass: "text-muted",
    cell: ({ list_cost_usd: cost }) => cost !== null && cost > 0 && formatDollars(cost),
  },
  agoColumn("Last activity", "pr-4 max-sm:hidden", ({ updated_at }) => updated_at),
];

function OwnerName({ id }: { id: string }) {
  const { data: me } = useQuery(whoamiQuery);
  const name = useOwnerNames([id])(id);
  return me?.principal.id === id ? "Me" : showUnseen(name ?? "");
}

function Repositories({ resources }: Pick<Session, "resources">) {
  const [first, ...more] = resources.flatMap((one) =>
    "url" in one ? [one.url.replace(/^https?:\/\/[^/]+\//, "").replace(/\.git$/, "")] : [],
  );
  if (first === undefined) return null;
  return (
    <span className="flex items-center gap-1.5 text-muted">
      <Icon name="branch" className="size-3.5 text-faint" />
      <span className="truncate">{showUnseen(first)}</span>
      {more.length > 0 && <span className="text-faint">+{more.length}</span>}
    </span>
  );
}
