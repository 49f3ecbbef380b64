import type { ReactNode } from "react";
import { cx } from "../../ui/cx.ts";

type Props = { title: string; action?: ReactNode; children: ReactNode; flush?: boolean };

/** Shows a part of the page. With `flush`, its content reaches the border. */
export function Panel({ title, action, children, flush = false }: Props) {
  return (
    <section className="min-w-0 overflow-hidden rounded-xl border border-line">
      <div className="flex min-h-12 items-center justify-between gap-3 px-4">
        <h2 className="font-semibold">{title}</h2>
        {action}
      </div>
      <div className={cx(!flush && "px-4 pb-4")}>{children}</div>
    </section>
  );
}
