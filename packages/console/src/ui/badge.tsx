import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const TONES = {
  neutral: "bg-selected text-muted",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  accent: "bg-accent-soft text-accent-text",
} as const;

export type Tone = keyof typeof TONES;

type Props = {
  tone?: Tone;
  /** Pulses, for a running state. */
  live?: boolean;
  dot?: boolean;
  children: ReactNode;
};

/** Shows a short label for a state. */
export function Badge({ tone = "neutral", live = false, dot = false, children }: Props) {
  return (
    <span
      className={cx(
        "inline-flex h-5 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {(dot || live) && <span className={cx("size-1.5 rounded-full bg-current", live && "animate-pulse")} />}
      {children}
    </span>
  );
}
