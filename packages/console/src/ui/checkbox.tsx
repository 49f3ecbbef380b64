import { Checkbox as Base } from "@base-ui/react/checkbox";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

type Props = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
  disabled?: boolean;
};

export function Checkbox({ checked, onChange, children, disabled = false }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the element of Base UI
    <label className="flex items-start gap-2 select-none">
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-canvas data-checked:border-accent data-checked:bg-accent"
      >
        <Base.Indicator className="text-accent-ink">
          <Icon name="check" className="size-3" />
        </Base.Indicator>
      </Base.Root>
      <span>{children}</span>
    </label>
  );
}
