import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useOwnerNames } from "../api/queries/owners.ts";
import { whoamiQuery } from "../api/queries/whoami.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { cx } from "../ui/cx.ts";
import { Ago } from "../ui/moment.tsx";
import { type Column, lineLinkClass } from "../ui/table.tsx";
import { ObjectLink } from "./object-link.tsx";

type Named = { id: string; archived_at: string | null };

/** Returns the first column of a list: the name, which links to the object's page, and a note below it. */
export function nameColumn<Item extends Named>(
  nameOf: (item: Item) => string,
  cellClass: string,
  note?: (item: Item) => ReactNode,
): Column<Item> {
  return {
    title: "Name",
    className: "pl-4",
    cellClass: cx("max-w-0", note !== undefined && "py-1.5", cellClass),
    cell: (item) => (
      <>
        <span className="flex items-center gap-2">
          <ObjectLink id={item.id} className={lineLinkClass}>
            {showUnseen(nameOf(item))}
          </ObjectLink>
          {item.archived_at !== null && <Badge>Archived</Badge>}
        </span>
        {note?.(item)}
      </>
    ),
  };
}

/** Returns a column with the description of an object, below its name. */
export function describedNameColumn<Item extends Named & { name: string; description: string | null }>(
  cellClass: string,
): Column<Item> {
  return nameColumn(
    ({ name }) => name,
    cellClass,
    ({ description }) =>
      description !== null && (
        <span className="block truncate text-xs text-faint">{showUnseen(description)}</span>
      ),
  );
}

/** Returns a column that shows how long ago something happened. */
export function agoColumn<Item>(
  title: string,
  className: string,
  timeOf: (item: Item) => string,
): Column<Item> {
  return {
    title,
    align: "right",
    className,
    cellClass: "whitespace-nowrap text-faint",
    cell: (item) => <Ago at={timeOf(item)} />,
  };
}

type Owned = { owner_type: "user" | "organization"; owner_id: string };

/** Returns a column with whose an object is, as far as the user may know. */
export function ownerColumn<Item extends Owned>(title = "Owner"): Column<Item> {
  return {
    title,
    className: "max-lg:hidden",
    cellClass: "max-w-40 truncate text-muted",
    cell: (item) => <OwnedBy item={item} />,
  };
}

function OwnedBy({ item: { owner_type: type, owner_id: id } }: { item: Owned }) {
  const { data: me } = useQuery(whoamiQuery);
  const name = useOwnerNames([id])(id);
  if (type === "organization") return "Everyone";
  return me?.principal.id === id ? "Me" : showUnseen(name ?? "");
}
