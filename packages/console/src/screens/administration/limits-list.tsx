import type { Limits } from "@berth/sdk";
import { quote } from "../../api/call-commands.ts";
import { formatBytes, formatCount, formatDollars } from "../../format/numbers.ts";
import { cx } from "../../ui/cx.ts";
import { Command } from "../../ui/empty.tsx";
import { LIMIT_WORDS, limitsShown } from "./retention.ts";

type Props = {
  limits: Limits;
  /** Whose limits they are, for the command: the name of an organization, or the email of a user. */
  whose: { org: string } | { user: string };
};

/** Shows limits, how much of each is used, and the operator's command that changes them. */
export function LimitsList({ limits, whose }: Props) {
  const owner = "org" in whose ? `--org ${quote(whose.org)}` : `--user ${quote(whose.user)}`;
  return (
    <div>
      <ul className="flex flex-col">
        {limitsShown(limits).map(({ name, value, used }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-b border-line py-2.5 last:border-b-0"
          >
            <span>{LIMIT_WORDS[name]}</span>
            <span className="text-right tabular text-muted">
              {used !== null && <span className="text-ink">{shownValue(name, used)}</span>}
              {used !== null && (value === null ? " used" : " of ")}
              {value === null ? used === null && "no limit" : shownValue(name, value)}
            </span>
            {used !== null && value !== null && <Share used={used} value={value} />}
          </li>
        ))}
      </ul>
      <Command text={`berth admin limits set ${owner} spend_cents=100000 spend_cents_per_day=10000`} />
    </div>
  );
}

/** Shows how much of a limit is used. */
function Share({ used, value }: { used: number; value: number }) {
  const share = value === 0 ? 1 : Math.min(1, used / value);
  return (
    <span aria-hidden="true" className="col-span-2 h-1 overflow-hidden rounded-full bg-selected">
      <span
        className={cx("block h-full rounded-full", share >= 0.9 ? "bg-warn" : "bg-accent")}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  );
}

function shownValue(name: Limits["data"][number]["name"], value: number): string {
  if (name.endsWith("_bytes")) return formatBytes(value);
  if (name.startsWith("spend_cents")) return formatDollars(value / 100);
  if (name === "sandbox_seconds_per_day") return `${formatCount(Math.round(value / 60))} min`;
  return formatCount(value);
}
