import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons; the one that acts comes last. */
  actions?: ReactNode;
  size?: "small" | "medium" | "large";
};

const SIZES = { small: "max-w-md", medium: "max-w-2xl", large: "max-w-5xl" } as const;

export function Dialog({ open, onClose, title, description, children, actions, size = "small" }: Props) {
  const content = useRef<HTMLDivElement>(null);
  const firstField = () =>
    content.current?.querySelector<HTMLElement>(":is(input, textarea):not(:disabled, [aria-hidden])") ?? true;
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40 transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-40 grid grid-cols-1 place-items-center p-3">
          <Base.Popup
            initialFocus={firstField}
            className={cx(
              "popup flex max-h-[min(52rem,94dvh)] w-full flex-col rounded-xl outline-none",
              SIZES[size],
            )}
          >
            <div className="flex items-start gap-3 px-5 pt-4">
              <div className="min-w-0 flex-1">
                <Base.Title className="text-lg font-semibold">{title}</Base.Title>
                {description !== undefined && (
                  <Base.Description className="mt-1 text-muted">{description}</Base.Description>
                )}
              </div>
              <Base.Close
                aria-label="Close"
                className="-mr-2 inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
              >
                <Icon name="cross" />
              </Base.Close>
            </div>
            {children !== undefined && (
              <div ref={content} className="min-h-0 flex-1 overflow-y-auto px-5 pt-3">
                {children}
              </div>
            )}
            <div className={cx("flex justify-end gap-2 px-5", actions === undefined ? "pb-3" : "py-4")}>
              {actions}
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
