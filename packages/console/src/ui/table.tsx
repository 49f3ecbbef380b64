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

/** A column of a `ColumnTable`. */
export type Column<Item> = {
  title: string;
  /** Whether the title is only for screen readers. */
  untitled?: boolean;
  align?: "right";
  /** The classes of the heading and of every cell. */
  className?: string;
  /** Further classes of the cells. */
  cellClass?: string;
  cell: (item: Item) => ReactNode;
};

type ColumnTableProps<Item> = {
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  /** The index of the marked row; none by default. */
  marked?: number;
};

/** Shows a row for each object. The link of a row, with `lineLinkClass`, covers the whole row. */
export function ColumnTable<Item extends { id: string }>(props: ColumnTableProps<Item>) {
  const { label, columns, items, marked } = props;
  const head = columns.map(({ title, untitled, align, className }) => (
    <HeadCell key={title} {...(align && { align })} {...(className && { className })}>
      {untitled ? <span className="sr-only">{title}</span> : title}
    </HeadCell>
  ));
  return (
    <Table label={label} head={head}>
      {items.map((item, index) => (
        <Line key={item.id} index={index} marked={index === marked}>
          {columns.map(({ title, align, className, cellClass, cell }) => (
            <Cell key={title} {...(align && { align })} className={cx(className, cellClass)}>
              {cell(item)}
            </Cell>
          ))}
        </Line>
      ))}
    </Table>
  );
}

function Line({ index, marked, children }: { index: number; marked: boolean; children: ReactNode }) {
  return (
    <tr data-list-index={index} className={cx("group relative hover:bg-hover", marked && "bg-selected")}>
      {children}
    </tr>
  );
}

export const lineLinkClass =
  "block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus";
