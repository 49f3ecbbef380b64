import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { objectPath } from "./object-paths.ts";

type Props = { id: string; className?: string; children: ReactNode };

/** A link to the page of any object, by its id; plain where it has none. */
export function ObjectLink({ id, className = "", children }: Props) {
  const path = objectPath(id);
  if (path === null) return <span className={className}>{children}</span>;
  // The kind is known at run time only, so that the types of the router cannot tell the page.
  return (
    <Link to={path as "/"} className={className}>
      {children}
    </Link>
  );
}
