import { Switch as Base } from "@base-ui/react/switch";
import type { ReactNode } from "react";

type Props = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
  disabled?: boolean;
};

/** Shows something that is on or off, and changes at once. */
export function Switch({ checked, onChange, children, disabled = false }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the element of Base UI
    <label className="flex items-center gap-2 select-none">
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="flex h-4.5 w-8 shrink-0 rounded-full border border-line-strong bg-sunken p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <Base.Thumb className="size-3 rounded-full bg-muted transition-transform data-checked:translate-x-3.5 data-checked:bg-accent-ink" />
      </Base.Root>
      <span>{children}</span>
    </label>
  );
}
