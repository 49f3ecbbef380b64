import { type PointerEvent, useEffect, useRef } from "react";
import type { ShownRow } from "../log/group-rows.ts";
import { estimateHeight } from "./transcript-row.tsx";

/** The visible part of the transcript, as fractions of its height. */
export type Window = { from: number; to: number };

type Props = {
  /** The height of the transcript, in pixels. */
  total: number;
  rows: readonly ShownRow[];
  matches: ReadonlySet<number>;
  window: Window;
  /** Scrolls to a position, as a fraction of the height. */
  onJump: (share: number) => void;
};

/** The map's width, in pixels. */
const WIDTH = 44;
/**
 * The largest scale of the map: its pixels per pixel of the transcript. A short transcript is not stretched
 * over the whole height.
 */
const MAX_UNIT = 0.12;

/**
 * Shows a small map of the whole transcript. It marks inputs, calls, failures and waiting calls, and jumps to
 * them.
 */
export function Minimap({ total, rows, matches, window: seen, onJump }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const draw = () => drawMap(element, rows, matches);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    scheme.addEventListener("change", draw);
    return () => {
      observer.disconnect();
      theme.disconnect();
      scheme.removeEventListener("change", draw);
    };
  }, [rows, matches]);
  function jump(event: PointerEvent<HTMLDivElement>) {
    if (event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    onJump((event.clientY - box.top) / Math.min(box.height, total * MAX_UNIT));
  }
  return (
    <div
      aria-hidden="true"
      className="relative w-11 shrink-0 cursor-pointer touch-none border-l border-line bg-panel max-md:hidden"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        jump(event);
      }}
      onPointerMove={jump}
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      <div
        className="pointer-events-none absolute inset-x-0 top-0 h-full"
        style={{ maxHeight: total * MAX_UNIT }}
      >
        <div
          className="absolute inset-x-0 min-h-2 border-y border-line-strong bg-selected"
          style={{ top: `${seen.from * 100}%`, height: `${Math.max(0, seen.to - seen.from) * 100}%` }}
        />
      </div>
    </div>
  );
}

function drawMap(canvas: HTMLCanvasElement, rows: readonly ShownRow[], matches: ReadonlySet<number>): void {
  const context = canvas.getContext("2d");
  const { clientHeight: height } = canvas;
  if (context === null || height === 0) return;
  const scale = devicePixelRatio;
  canvas.width = WIDTH * scale;
  canvas.height = height * scale;
  context.scale(scale, scale);
  const colors = colorsOf(canvas);
  const heights = rows.map(estimateHeight);
  const total = heights.reduce((sum, one) => sum + one, 0);
  const unit = Math.min(height / total, MAX_UNIT);
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const size = (heights[index] ?? 0) * unit;
    const { color, from, to } = markOf(row);
    context.fillStyle = matches.has(index) ? colors.match : colors[color];
    const [left, right] = matches.has(index) ? [4, 40] : [from, to];
    context.fillRect(left, at, right - left, Math.max(1, size - Math.min(1.5, size * 0.3)));
    at += size;
  }
}

type Color = "input" | "text" | "call" | "bad" | "warn" | "faint" | "match";

function markOf(row: ShownRow): { color: Color; from: number; to: number } {
  switch (row.kind) {
    case "input":
      return { color: "input", from: 6, to: 38 };
    case "text":
    case "preview":
      return { color: "text", from: 10, to: 34 };
    case "call":
      if (row.state === "waiting") return { color: "warn", from: 6, to: 38 };
      return { color: row.state === "failed" || row.state === "denied" ? "bad" : "call", from: 14, to: 34 };
    case "group":
      return { color: row.calls.some(({ state }) => state === "failed") ? "bad" : "call", from: 10, to: 38 };
    case "denied":
    case "retries":
      return { color: "warn", from: 10, to: 34 };
    case "notice":
      return { color: row.event.type === "session.error" ? "bad" : "faint", from: 10, to: 34 };
    default:
      return { color: "faint", from: 18, to: 26 };
  }
}

/**
 * Returns the theme's colours. A custom property is only resolved through a real one, so each is set as
 * `color` and read back.
 */
function colorsOf(canvas: HTMLCanvasElement): Record<Color, string> {
  const style = getComputedStyle(canvas);
  const value = (name: string) => {
    canvas.style.color = `var(${name})`;
    return style.color;
  };
  return {
    input: value("--accent"),
    text: value("--muted"),
    call: value("--line-strong"),
    bad: value("--bad"),
    warn: value("--warn"),
    faint: value("--line-strong"),
    match: value("--focus"),
  };
}
