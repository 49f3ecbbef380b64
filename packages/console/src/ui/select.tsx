import { Select as Base } from "@base-ui/react/select";
import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { inputClass } from "./field.tsx";
import { Icon } from "./icon.tsx";

export type Choice<Value> = {
  value: Value;
  label: ReactNode;
  /** Shown below the label. */
  about?: ReactNode;
  disabled?: boolean;
};

type Props<Value> = {
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
  /** The name for screen readers, where no visible label names it. */
  label?: string;
  id?: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: true | undefined;
  disabled?: boolean;
  className?: string;
};

/** Offers a choice of one item from a short list. */
export function Select<Value extends string | null>({
  value,
  choices,
  onChange,
  label,
  className,
  ...rest
}: Props<Value>) {
  return (
    <Base.Root
      items={[...choices]}
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      disabled={rest.disabled ?? false}
    >
      <Base.Trigger
        id={rest.id}
        aria-label={label}
        aria-describedby={rest["aria-describedby"]}
        aria-invalid={rest["aria-invalid"]}
        className={cx(inputClass, "flex h-8 items-center justify-between gap-2 text-left", className)}
      >
        <Base.Value className="truncate" />
        <Icon name="chevronDown" className="text-faint" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup className="popup max-h-[min(24rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto p-1">
            {choices.map((choice) => (
              <Base.Item
                key={String(choice.value)}
                value={choice.value}
                disabled={choice.disabled ?? false}
                className="grid cursor-default grid-cols-[1rem_1fr] items-center gap-x-2 rounded-md py-1.5 pr-3 pl-2 outline-none select-none data-disabled:opacity-45 data-highlighted:bg-hover"
              >
                <Base.ItemIndicator>
                  <Icon name="check" className="text-accent-text" />
                </Base.ItemIndicator>
                <Base.ItemText className="col-start-2">{choice.label}</Base.ItemText>
                {choice.about !== undefined && (
                  <span className="col-start-2 text-xs text-faint">{choice.about}</span>
                )}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
