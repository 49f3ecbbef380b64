import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";
import { ShortcutKeys } from "./keys.tsx";

type MenuProps = { trigger: ReactElement; children: ReactNode; align?: "start" | "end" };

/** Shows a menu button. `children` are `MenuItem`, `MenuCheck` and `MenuLine`. */
export function Menu({ trigger, children, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup className="popup max-h-(--available-height) min-w-44 overflow-y-auto p-1 outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const itemClass =
  "flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-disabled:opacity-45 data-highlighted:bg-hover";

type ItemProps = {
  icon?: IconName;
  onSelect: () => void;
  children: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  keys?: string;
};

export function MenuItem({ icon, onSelect, children, danger = false, disabled = false, keys }: ItemProps) {
  return (
    <Base.Item onClick={onSelect} disabled={disabled} className={cx(itemClass, danger && "text-bad")}>
      {icon !== undefined && <Icon name={icon} className={danger ? "" : "text-muted"} />}
      <span className="flex-1">{children}</span>
      {keys !== undefined && <ShortcutKeys keys={keys} />}
    </Base.Item>
  );
}

type CheckProps = { checked: boolean; onChange: (checked: boolean) => void; children: ReactNode };

/** Shows a checkbox item, which does not close the menu. */
export function MenuCheck({ checked, onChange, children }: CheckProps) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} className={itemClass}>
      <span className="flex size-4 items-center justify-center">
        <Base.CheckboxItemIndicator>
          <Icon name="check" className="text-accent-text" />
        </Base.CheckboxItemIndicator>
      </span>
      <span className="flex-1">{children}</span>
    </Base.CheckboxItem>
  );
}

export function MenuLine() {
  return <Base.Separator className="mx-1 my-1 h-px bg-line" />;
}

type ChoiceProps<Value> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string; icon: IconName }[];
  onChange: (value: Value) => void;
};

/** Offers a choice of a few values, side by side, which does not close the menu. */
export function MenuChoice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <div className="flex items-center justify-between gap-6 px-2 py-1">
      <span>{label}</span>
      <Base.RadioGroup
        aria-label={label}
        value={value}
        onValueChange={(next) => onChange(next as Value)}
        className="flex rounded-lg border border-line bg-sunken p-0.5"
      >
        {choices.map((choice) => (
          <Base.RadioItem
            key={choice.value}
            value={choice.value}
            closeOnClick={false}
            aria-label={choice.label}
            title={choice.label}
            className="flex size-6 items-center justify-center rounded-md border border-transparent text-faint outline-none data-checked:border-line data-checked:bg-raised data-checked:text-ink data-highlighted:text-ink data-highlighted:outline-2 data-highlighted:outline-focus"
          >
            <Icon name={choice.icon} className="size-3.5" />
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </div>
  );
}
