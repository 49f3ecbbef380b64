import type { ReactNode } from "react";
import { showUnseen } from "../format/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { cx } from "../ui/cx.ts";
import { Cell, lineLinkClass } from "../ui/table.tsx";
import { ObjectLink } from "./object-link.tsx";

type Props = { id: string; name: string; isArchived: boolean; className?: string; children?: ReactNode };

/** Shows the first cell of a row: the name, which links to the object's page, and what is shown below it. */
export function NameCell({ id, name, isArchived, className, children }: Props) {
  return (
    <Cell className={cx("max-w-0 pl-4", children !== undefined && "py-1.5", className)}>
      <span className="flex items-center gap-2">
        <ObjectLink id={id} className={lineLinkClass}>
          {showUnseen(name)}
        </ObjectLink>
        {isArchived && <Badge>Archived</Badge>}
      </span>
      {children}
    </Cell>
  );
}

/** Shows the description of an object, below its name. */
export function NameNote({ text }: { text: string | null }) {
  return text !== null && <span className="block truncate text-xs text-faint">{showUnseen(text)}</span>;
}
