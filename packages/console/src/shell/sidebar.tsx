import { Link, type LinkProps, lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentType, Suspense } from "react";
import { buttonClass } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ShortcutKeys } from "../ui/keys.tsx";
import { AccountButton } from "./account-button.tsx";

/** Loaded after the first screen. */
const AccountMenu = lazyRouteComponent(() => import("./account-menu.tsx"), "AccountMenu");

/** A screen's entry in the navigation. */
export type NavItem = {
  label: string;
  to: NonNullable<LinkProps["to"]>;
  icon: IconName;
  /** The key that opens it after `g`. */
  key: string;
  /** Whether it is for admins alone. */
  forAdmins?: true;
  /** Shown behind its name, and loaded after the first screen. */
  Count?: ComponentType;
};

type Props = {
  groups: readonly (readonly NavItem[])[];
  onSearch: () => void;
  onNavigate?: () => void;
  className?: string;
};

export function Sidebar({ groups, onSearch, onNavigate, className }: Props) {
  return (
    <nav
      aria-label="Screens"
      className={cx("flex w-56 shrink-0 flex-col gap-3 border-r border-line bg-panel p-3", className)}
    >
      <Link
        to="/"
        onClick={onNavigate}
        className="flex h-7 items-center gap-2 rounded-md px-1.5 text-base font-semibold tracking-tight"
      >
        <Mark /> Berth
      </Link>
      <div className="flex gap-1.5">
        <Link to="/new" onClick={onNavigate} className={cx(buttonClass("primary", "small"), "flex-1")}>
          <Icon name="plus" /> New session
        </Link>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-7 items-center gap-2 rounded-md border border-line bg-canvas px-2 text-faint hover:text-muted"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Search</span>
        <ShortcutKeys keys="mod+k" />
      </button>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto">
        {groups.map((group) => (
          <ul key={group[0]?.label} className="flex flex-col gap-px">
            {group.map((item) => (
              <li key={item.label}>
                <Link
                  to={item.to}
                  onClick={onNavigate}
                  className="flex h-7 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover hover:text-ink"
                  activeOptions={{ exact: item.to === "/" }}
                  activeProps={{ className: "bg-selected font-medium text-ink!" }}
                >
                  <Icon name={item.icon} />
                  {item.label}
                  {item.Count && (
                    <Suspense>
                      <item.Count />
                    </Suspense>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </div>
      <Suspense fallback={<AccountButton />}>
        <AccountMenu />
      </Suspense>
    </nav>
  );
}

export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={cx("size-5", className)}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M10 7v18M10 14h8a4.5 4.5 0 0 1 0 9h-8M10 7h6a3.5 3.5 0 0 1 0 7"
        fill="none"
        className="stroke-accent-ink"
        strokeWidth="2.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
