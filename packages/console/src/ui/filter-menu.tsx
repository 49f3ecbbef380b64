import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";
import { Menu, MenuCheck, MenuItem, MenuLine } from "./menu.tsx";

type Choice = { value: string; label: string };

type Props = {
  label: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Allows at most one choice. */
  single?: boolean;
};

/** Shows a filter of a list: a button that shows the choices made, with a menu. */
export function FilterMenu({ label, choices, chosen, onChange, single = false }: Props) {
  const names = chosen.map((value) => choices.find((choice) => choice.value === value)?.label ?? value);
  const trigger = (
    <Button
      size="small"
      look={chosen.length > 0 ? "secondary" : "quiet"}
      className={cx(chosen.length > 0 && "border-accent/50")}
    >
      <span className="max-w-52 truncate">
        {label}
        {names.length > 0 && (
          <span className="text-accent-text">
            : {names.length > 2 ? `${names.length} of them` : names.join(", ")}
          </span>
        )}
      </span>
      <Icon name="chevronDown" className="size-3.5 text-faint" />
    </Button>
  );
  function toggle(value: string, checked: boolean) {
    if (single) onChange(checked ? [value] : []);
    else onChange(checked ? [...chosen, value] : chosen.filter((one) => one !== value));
  }
  return (
    <Menu trigger={trigger} align="start">
      {choices.length === 0 && <p className="px-2 py-1.5 text-faint">There are none.</p>}
      {choices.map(({ value, label: text }) => (
        <MenuCheck
          key={value}
          checked={chosen.includes(value)}
          onChange={(checked) => toggle(value, checked)}
        >
          <span className="block max-w-72 truncate">{text}</span>
        </MenuCheck>
      ))}
      {chosen.length > 0 && (
        <>
          <MenuLine />
          <MenuItem icon="cross" onSelect={() => onChange([])}>
            Clear
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
