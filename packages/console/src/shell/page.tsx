import { type ReactNode, useEffect } from "react";
import { cx } from "../ui/cx.ts";

type Props = {
  /** The title of the browser tab. */
  title: string;
  /** Shown before the title of the browser tab, if not 0. */
  waiting?: number;
  heading?: ReactNode;
  /** Shown beside the heading: states, ids. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Whether parts of the screen scroll separately, so that the page itself does not. */
  fixed?: boolean;
};

/** Lays out a screen: a bar with heading and actions, and the content. */
export function Page({ title, waiting = 0, heading, about, actions, children, fixed = false }: Props) {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Berth`;
  }, [title, waiting]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-12 shrink-0 items-center gap-x-3 border-b border-line px-4 py-2 max-md:pl-13">
        <h1 className="min-w-0 truncate text-base font-semibold">{heading ?? title}</h1>
        <div className="flex shrink-0 items-center gap-2 overflow-hidden empty:hidden sm:min-w-32 sm:shrink-[20]">
          {about}
        </div>
        <div className="ml-auto flex items-center gap-1.5">{actions}</div>
      </header>
      <div className={cx("min-h-0 flex-1", fixed ? "flex flex-col overflow-hidden" : "overflow-y-auto")}>
        {children}
      </div>
    </div>
  );
}
