import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";

const KEY = "berth.panel width";
const LEAST = 320;

/**
 * Returns the initial width, in pixels: wide enough for the tabs in one row where the transcript stays wider.
 */
function usualWidth(): number {
  if (innerWidth > 1_800) return 640;
  return innerWidth >= 1_400 ? 600 : 440;
}

/**
 * Shows a panel at the right that is resized with the mouse or the arrow keys. It leaves 30rem to the
 * transcript, and covers it on a narrow page.
 */
export function ResizablePanel({ children }: { children: ReactNode }) {
  const [width, setWidth] = useState(() => Number(localStorage.getItem(KEY)) || usualWidth());
  function resize(next: number) {
    const fitting = Math.round(Math.min(Math.max(LEAST, next), innerWidth * 0.65));
    setWidth(fitting);
    localStorage.setItem(KEY, String(fitting));
  }
  function onPointerMove(event: PointerEvent) {
    if (event.buttons === 1) resize(innerWidth - event.clientX);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowLeft") resize(width + 24);
    else if (event.key === "ArrowRight") resize(width - 24);
  }
  return (
    <div
      className="flex max-w-[calc(100%-30rem)] min-w-80 shrink-0 border-l border-line max-lg:max-w-none max-lg:absolute max-lg:inset-0 max-lg:z-20 max-lg:w-full! max-lg:border-l-0"
      style={{ width }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is no rule between paragraphs */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the panel"
        aria-valuenow={width}
        aria-valuemin={LEAST}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        onKeyDown={onKeyDown}
        className="-ml-1 w-1.5 cursor-col-resize touch-none hover:bg-accent/40 max-lg:hidden"
      />
      {children}
    </div>
  );
}
