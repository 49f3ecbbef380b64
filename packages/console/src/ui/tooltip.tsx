import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import { Keys } from "./keys.tsx";

type Props = {
  text: ReactNode;
  keys?: ReactNode;
  side?: "top" | "bottom" | "left" | "right";
  children: ReactElement;
};

/**
 * Adds a tooltip to its child, which must accept a ref. It only repeats what screen readers get otherwise.
 */
export function Tooltip({ text, keys, side = "bottom", children }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="popup flex max-w-80 items-center gap-2 px-2 py-1 text-xs text-ink">
            {text}
            {keys !== undefined && <Keys>{keys}</Keys>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export const TooltipProvider = Base.Provider;
