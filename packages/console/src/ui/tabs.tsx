import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type Tab<Id extends string> = {
  id: Id;
  label: ReactNode;
  count?: number | undefined;
  content: () => ReactNode;
};

type Props<Id extends string> = {
  tabs: readonly Tab<Id>[];
  value: Id;
  onChange: (id: Id) => void;
  label: string;
  className?: string;
};

/** Shows tabs, of which only the chosen one has its content rendered. */
export function Tabs<Id extends string>({ tabs, value, onChange, label, className }: Props<Id>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(id) => onChange(id as Id)}
      className={cx("flex min-h-0 flex-col", className)}
    >
      <Base.List
        aria-label={label}
        className="relative flex shrink-0 flex-wrap gap-x-1 border-b border-line px-2"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.id}
            value={tab.id}
            className="flex h-9 items-center gap-1.5 rounded-md px-1.5 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-ink data-active:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && (
              <span className="rounded-full bg-selected px-1.5 text-xs tabular text-muted">{tab.count}</span>
            )}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute top-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) translate-y-[calc(var(--active-tab-top)+var(--active-tab-height)-2px)] rounded-full bg-accent transition-all duration-150" />
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="min-h-0 flex-1 outline-none">
          {tab.id === value && tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
