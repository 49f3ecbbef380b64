import type { UsageGroup } from "@berth/sdk";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { cx } from "../../ui/cx.ts";
import { useWidth } from "../../ui/use-width.ts";
import { formatDay, METRIC_LOOKS, TOKEN_KINDS } from "./figures.ts";
import { labelled, secondTicks, ticksFor } from "./scale.ts";
import type { Metric } from "./usage-search.ts";

const HEIGHT = 232;
const TOP = 10;
const BOTTOM = 24;
const LEFT = 52;
const PLOT = HEIGHT - TOP - BOTTOM;

type Props = { days: readonly UsageGroup[]; metric: Metric };

/** Shows a bar for each day; tokens are stacked by kind. Arrow keys select days, as a pointer does. */
export function DayChart({ days, metric }: Props) {
  const [measure, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const { label, of, text, tick } = METRIC_LOOKS[metric];
  const ticks = (metric === "active" ? secondTicks : ticksFor)(Math.max(0, ...days.map(of)));
  const top = ticks.at(-1) ?? 1;
  const step = days.length === 0 ? 0 : Math.max(0, width - LEFT) / days.length;
  const bar = Math.max(1, Math.min(step - (step > 6 ? 3 : 1), 44));
  const yOf = (value: number) => TOP + PLOT - (value / top) * PLOT;
  const xOf = (index: number) => LEFT + index * step + (step - bar) / 2;
  const shown = at === null ? null : (days[at] ?? null);
  function point(event: PointerEvent<SVGSVGElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT;
    const index = Math.floor(x / step);
    setAt(index >= 0 && index < days.length ? index : null);
  }
  function walk(event: KeyboardEvent) {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -days.length, End: days.length }[event.key];
    if (event.key === "Escape") setAt(null);
    if (move === undefined) return;
    event.preventDefault();
    setAt((before) =>
      Math.max(0, Math.min(days.length - 1, (before ?? (move > 0 ? -1 : days.length)) + move)),
    );
  }
  return (
    <div ref={measure} className="relative">
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="application"
          aria-label={`${label} by day. The arrow keys walk through the days; the tables have the same numbers.`}
          tabIndex={0}
          onPointerMove={point}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
          onKeyDown={walk}
          className="block touch-pan-y rounded-md"
        >
          {ticks.map((value) => (
            <g key={value}>
              <line x1={LEFT} x2={width} y1={yOf(value)} y2={yOf(value)} className="stroke-line" />
              <text x={LEFT - 8} y={yOf(value) + 4} textAnchor="end" className="fill-faint text-xs tabular">
                {tick(value)}
              </text>
            </g>
          ))}
          {days.map((day, index) => (
            <g key={day.key} className={cx(at !== null && at !== index && "opacity-45")}>
              {partsOf(day, metric).map(({ fill, from, to }) => (
                <rect
                  key={fill}
                  x={xOf(index)}
                  y={yOf(to)}
                  width={bar}
                  height={Math.max(to > from ? 1 : 0, yOf(from) - yOf(to))}
                  rx={metric === "tokens" ? 0 : Math.min(2, bar / 4)}
                  className={fill}
                />
              ))}
            </g>
          ))}
          {labelled(days.length, (width - LEFT) / 64).map((index) => (
            <text
              key={index}
              x={Math.min(LEFT + index * step + step / 2, width - 22)}
              y={HEIGHT - 6}
              textAnchor="middle"
              className="fill-faint text-xs"
            >
              {formatDay(days[index]?.key ?? "")}
            </text>
          ))}
        </svg>
      )}
      {shown !== null && at !== null && (
        <Readout day={shown} metric={metric} x={LEFT + (at + 0.5) * step} width={width} />
      )}
      <p aria-live="polite" className="sr-only">
        {shown !== null && `${formatDay(shown.key ?? "")}: ${text(of(shown))}`}
      </p>
    </div>
  );
}

type Part = { fill: string; from: number; to: number };

/** Returns the parts of a bar, with start and end of each in the metric's unit. */
function partsOf(day: UsageGroup, metric: Metric): Part[] {
  if (metric !== "tokens") return [{ fill: "fill-accent", from: 0, to: METRIC_LOOKS[metric].of(day) }];
  let from = 0;
  return TOKEN_KINDS.map(({ fill, of }) => {
    const part = { fill, from, to: from + of(day) };
    from = part.to;
    return part;
  });
}

/** Shows the figures of a day, beside its bar. */
function Readout({ day, metric, x, width }: { day: UsageGroup; metric: Metric; x: number; width: number }) {
  const { text, of, label } = METRIC_LOOKS[metric];
  const isRight = x > width / 2;
  return (
    <div
      aria-hidden="true"
      className={cx(
        "popup pointer-events-none absolute top-2 z-10 px-3 py-2 whitespace-nowrap",
        isRight && "-translate-x-full",
      )}
      style={{ left: isRight ? x - 12 : x + 12 }}
    >
      <p className="text-xs text-faint">{formatDay(day.key ?? "")}</p>
      <p className="font-semibold tabular">
        {text(of(day))} <span className="font-normal text-muted">{label.toLowerCase()}</span>
      </p>
      {metric === "tokens" &&
        TOKEN_KINDS.toReversed().map((kind) => (
          <p key={kind.label} className="flex items-center gap-2 text-xs text-muted">
            <Swatch fill={kind.fill} />
            <span className="flex-1">{kind.label}</span>
            <span className="tabular">{text(kind.of(day))}</span>
          </p>
        ))}
    </div>
  );
}

export function Swatch({ fill }: { fill: string }) {
  return (
    <svg viewBox="0 0 8 8" aria-hidden="true" className="size-2">
      <rect width="8" height="8" rx="2" className={fill} />
    </svg>
  );
}
