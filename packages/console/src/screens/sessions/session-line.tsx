import type { Session } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { inputTokens } from "../../format/cost.ts";
import { formatDollars, formatShort } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { cx } from "../../ui/cx.ts";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { StatusOf } from "../../ui/session-status.tsx";
import { Cell, Line, lineLinkClass } from "../../ui/table.tsx";

type Props = {
  session: Session;
  index: number;
  marked: boolean;
};

/** Shows a session in the list. The whole line is the link. */
export function SessionLine({ session, index, marked }: Props) {
  const { title, agent, usage, list_cost_usd: cost } = session;
  const tokens = inputTokens(usage) + usage.output_tokens;
  const repositories = repositoriesOf(session);
  return (
    <Line index={index} marked={marked}>
      <Cell className="w-0 pl-4 whitespace-nowrap max-sm:hidden">
        <StatusOf session={session} />
      </Cell>
      <Cell className="max-w-0 min-w-0 py-1.5 sm:w-1/2">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.id }}
          className={cx(lineLinkClass, title === "" && "text-muted")}
        >
          {showUnseen(title) || "Untitled session"}
        </Link>
        <span className="mt-0.5 flex items-center gap-2 truncate text-xs text-faint sm:hidden">
          <StatusOf session={session} />
          {showUnseen(agent.name)} · <Ago at={session.updated_at} />
        </span>
      </Cell>
      <Cell className="max-w-44 truncate text-muted max-md:hidden">{showUnseen(agent.name)}</Cell>
      <Cell className="max-w-56 max-lg:hidden">
        {repositories.length > 0 && (
          <span className="flex items-center gap-1.5 text-muted">
            <Icon name="branch" className="size-3.5 text-faint" />
            <span className="truncate">{showUnseen(repositories[0] ?? "")}</span>
            {repositories.length > 1 && <span className="text-faint">+{repositories.length - 1}</span>}
          </span>
        )}
      </Cell>
      <Cell align="right" className="text-muted max-md:hidden">
        {tokens > 0 && formatShort(tokens)}
      </Cell>
      <Cell align="right" className="text-muted max-lg:hidden">
        {cost !== null && cost > 0 && formatDollars(cost)}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint max-sm:hidden">
        <Ago at={session.updated_at} />
      </Cell>
    </Line>
  );
}

function repositoriesOf({ resources }: Session): string[] {
  return resources.flatMap((one) =>
    "url" in one ? [one.url.replace(/^https?:\/\/[^/]+\//, "").replace(/\.git$/, "")] : [],
  );
}
