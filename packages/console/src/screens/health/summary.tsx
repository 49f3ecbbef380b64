import type { Health } from "@berth/sdk";
import type { Tone } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { summaryOf } from "./health-words.ts";

const LOOKS: Partial<Record<Tone, { icon: IconName; frame: string; mark: string }>> = {
  ok: { icon: "check", frame: "border-line bg-panel", mark: "bg-ok-soft text-ok" },
  warn: { icon: "alert", frame: "border-warn/30 bg-warn-soft", mark: "text-warn" },
  bad: { icon: "alert", frame: "border-bad/30 bg-bad-soft", mark: "text-bad" },
};

/** Shows the overall state of the installation. */
export function Summary({ health }: { health: Health }) {
  const { tone, title, about } = summaryOf(health);
  const look = LOOKS[tone];
  return (
    <div role="status" className={cx("flex items-center gap-4 rounded-xl border p-4", look?.frame)}>
      <span className={cx("flex size-10 shrink-0 items-center justify-center rounded-full", look?.mark)}>
        <Icon name={look?.icon ?? "health"} className="size-5" />
      </span>
      <div>
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-muted">{about}</p>
      </div>
    </div>
  );
}
