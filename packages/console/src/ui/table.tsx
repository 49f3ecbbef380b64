import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx.ts";

/** Shows a table that scrolls horizontally where it is wider than the page. */
export function Table({ head, children, label }: { head: ReactNode; children: ReactNode; label: string }) {
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

type CellProps = ComponentProps<"td"> & { align?: "right" };

export function HeadCell({
  children,
  align,
  className,
}: {
  children?: ReactNode;
  align?: "right";
  className?: string;
}) {
  return (
    <th
      scope="col"
      className={cx(
        "sticky top-0 z-10 h-8 border-b border-line bg-canvas px-3 text-xs font-medium whitespace-nowrap text-faint",
        align === "right" ? "text-right" : "text-left",
        className,
      )}
    >
      {children}
    </th>
  );
}

export function Cell({ align, className, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      className={cx("h-10 border-b border-line px-3", align === "right" && "text-right tabular", className)}
    />
  );
}

/** Shows a row of a list. Its link, with `lineLinkClass`, covers the whole row. */
export function Line({ index, marked, children }: { index: number; marked: boolean; children: ReactNode }) {
  return (
    <tr data-list-index={index} className={cx("group relative hover:bg-hover", marked && "bg-selected")}>
      {children}
    </tr>
  );
}

export const lineLinkClass =
  "block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus";
