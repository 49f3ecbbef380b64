import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { objectPath } from "./object-paths.ts";

type Props = { id: string; className?: string; children: ReactNode };

/** Shows a link to an object's page, by its id; plain text if it has none. */
export function ObjectLink({ id, className = "", children }: Props) {
  const path = objectPath(id);
  if (path === null) return <span className={className}>{children}</span>;
  // The kind is only known at run time, so the router's types cannot check the path.
  return (
    <Link to={path as "/"} className={className}>
      {children}
    </Link>
  );
}
