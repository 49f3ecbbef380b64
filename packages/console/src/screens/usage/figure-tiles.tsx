import type { UsageFigures } from "@berth/sdk";
import { cx } from "../../ui/cx.ts";
import { METRIC_LOOKS } from "./figures.ts";
import { METRICS, type Metric } from "./usage-search.ts";

type Props = { total: UsageFigures; chosen: Metric; onChoose: (metric: Metric) => void };

/** Shows the totals. The chosen metric is the one in the chart. */
export function FigureTiles({ total, chosen, onChoose }: Props) {
  return (
    <div className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-3 lg:grid-cols-5">
      {METRICS.map((metric, index) => {
        const { label, about, of, text } = METRIC_LOOKS[metric];
        return (
          <button
            key={metric}
            type="button"
            aria-pressed={metric === chosen}
            onClick={() => onChoose(metric)}
            className={cx(
              "relative bg-canvas px-4 py-3 text-left -outline-offset-2 hover:bg-panel aria-pressed:bg-panel",
              index === METRICS.length - 1 && "max-lg:col-span-2",
            )}
          >
            <span
              className={cx(
                "block text-xs",
                metric === chosen ? "font-medium text-accent-text" : "text-faint",
              )}
            >
              {label}
            </span>
            <span className="block text-xl font-semibold tabular">{text(of(total))}</span>
            <span className="block text-xs text-faint">{about}</span>
            {metric === chosen && <span className="absolute inset-x-0 bottom-0 h-0.5 bg-accent" />}
          </button>
        );
      })}
    </div>
  );
}
