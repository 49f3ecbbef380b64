import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Tooltip } from "./tooltip.tsx";

const LOOKS = {
  primary: "bg-accent text-accent-ink hover:bg-accent-hover shadow-low border border-transparent",
  secondary: "bg-raised text-ink border border-line-strong hover:bg-hover shadow-low",
  quiet: "text-muted hover:text-ink hover:bg-hover border border-transparent",
  danger: "bg-raised text-bad border border-line-strong hover:bg-bad-soft shadow-low",
} as const;

const SIZES = {
  small: "h-7 px-2.5 gap-1.5 text-sm rounded-md",
  medium: "h-8 px-3 gap-1.5 text-sm rounded-md",
} as const;

export type ButtonLook = keyof typeof LOOKS;

export type ButtonProps = ComponentProps<"button"> & {
  look?: ButtonLook;
  size?: keyof typeof SIZES;
  icon?: IconName | undefined;
  /** Shows that the action is running, and disables the button. */
  busy?: boolean;
};

/** Returns the classes of a button, for links that look like one. */
export function buttonClass(look: ButtonLook = "secondary", size: keyof typeof SIZES = "medium"): string {
  return cx(
    "inline-flex items-center justify-center whitespace-nowrap font-medium select-none transition-colors",
    "disabled:opacity-50 disabled:cursor-not-allowed",
    LOOKS[look],
    SIZES[size],
  );
}

export function Button({ look, size, icon, busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={cx(buttonClass(look, size), className)}
    >
      {busy ? <Spinner /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: IconName;
  /** The name of the action, for the tooltip and for screen readers. */
  label: string;
  /** The keys of the same action, for the tooltip. */
  keys?: ReactNode;
  pressed?: boolean;
};

export function IconButton({ icon, label, keys, pressed, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          "inline-flex size-7 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-ink",
          "disabled:cursor-not-allowed disabled:opacity-40 aria-pressed:bg-selected aria-pressed:text-ink",
          className,
        )}
      >
        <Icon name={icon} />
      </button>
    </Tooltip>
  );
}

export function Spinner({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={cx("size-4 shrink-0 animate-spin", className)}
      fill="none"
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity=".25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
