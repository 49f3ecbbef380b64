import { showUnseen } from "../format/visible-text.ts";
import { Button, IconButton } from "./button.tsx";
import { Menu, MenuCheck } from "./menu.tsx";

type Props = {
  label: string;
  choices: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  empty: string;
};

/** Offers a choice of any number of items, as tags with a button that adds more. */
export function MultiChoice({ label, choices, chosen, onChange, empty }: Props) {
  const nameOf = (value: string) => choices.find((choice) => choice.value === value)?.label ?? value;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {chosen.map((value) => (
        <span
          key={value}
          className="flex h-7 items-center gap-1 rounded-md border border-line bg-panel pl-2.5"
        >
          <span className="max-w-60 truncate">{showUnseen(nameOf(value))}</span>
          <IconButton
            icon="cross"
            label={`Remove ${nameOf(value)}`}
            onClick={() => onChange(chosen.filter((one) => one !== value))}
            className="size-6"
          />
        </span>
      ))}
      <Menu
        align="start"
        trigger={
          <Button size="small" look="quiet" icon="plus">
            {label}
          </Button>
        }
      >
        {choices.length === 0 && <p className="max-w-64 px-2 py-1.5 text-faint">{empty}</p>}
        {choices.map(({ value, label: text }) => (
          <MenuCheck
            key={value}
            checked={chosen.includes(value)}
            onChange={(checked) =>
              onChange(checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          >
            <span className="block max-w-72 truncate">{showUnseen(text)}</span>
          </MenuCheck>
        ))}
      </Menu>
    </div>
  );
}
