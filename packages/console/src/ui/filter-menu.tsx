import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Menu, MenuCheck, MenuItem, MenuLine } from "./menu.tsx";

type Props<Value> = {
  label: string;
  choices: readonly { value: Value; label: string }[];
  chosen: Value | undefined;
  onChange: (chosen: Value | undefined) => void;
};

/** Shows a filter of a list, of at most one choice: a button that shows the choice made, with a menu. */
export function FilterMenu<Value extends string>({ label, choices, chosen, onChange }: Props<Value>) {
  const isSet = chosen !== undefined;
  const trigger = (
    <Button size="small" look={isSet ? "secondary" : "quiet"} className={cx(isSet && "border-accent/50")}>
      <span className="max-w-52 truncate">
        {label}
        {isSet && (
          <span className="text-accent-text">
            : {choices.find(({ value }) => value === chosen)?.label ?? chosen}
          </span>
        )}
      </span>
      <Icon name="chevronDown" className="size-3.5 text-faint" />
    </Button>
  );
  return (
    <Menu trigger={trigger} align="start">
      {choices.length === 0 && <p className="px-2 py-1.5 text-faint">There are none.</p>}
      {choices.map(({ value, label: text }) => (
        <MenuCheck
          key={value}
          checked={value === chosen}
          onChange={(checked) => onChange(checked ? value : undefined)}
        >
          <span className="block max-w-72 truncate">{text}</span>
        </MenuCheck>
      ))}
      {isSet && (
        <>
          <MenuLine />
          <MenuItem icon="cross" onSelect={() => onChange(undefined)}>
            Clear
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

type ToggleProps = {
  label: string;
  icon: IconName;
  on: boolean | undefined;
  /** `undefined` switches it off. */
  onChange: (on: true | undefined) => void;
  className?: string;
};

/** Shows a filter of a list that is on or off. */
export function FilterToggle({ label, icon, on = false, onChange, className }: ToggleProps) {
  return (
    <Button
      size="small"
      look={on ? "secondary" : "quiet"}
      icon={icon}
      aria-pressed={on}
      onClick={() => onChange(on ? undefined : true)}
      className={className}
    >
      {label}
    </Button>
  );
}

/** Shows a button that clears the filters of a list, if any is set. */
export function ClearFilters({ filters, onClear }: { filters: object; onClear: () => void }) {
  return (
    Object.keys(filters).length > 0 && (
      <Button size="small" look="quiet" icon="cross" onClick={onClear}>
        Clear
      </Button>
    )
  );
}
