import { useQueries } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Action } from "../shell/actions.ts";
import { objectPath } from "../shell/object-paths.ts";
import { FOUND_NOUNS } from "./found-nouns.ts";

/** Milliseconds after which objects are read again while the palette is open. */
const FRESH_MS = 15_000;

/**
 * Returns objects for the palette: the newest of each noun by name and id, and any object whose id is typed.
 */
export function useFoundObjects(typed: string): readonly Action[] {
  const navigate = useNavigate();
  const go = (id: string) => {
    const path = objectPath(id);
    // The kind is only known at run time, so the router's types cannot check the path.
    if (path !== null) void navigate({ to: path as "/" });
  };
  const found = useQueries({
    queries: FOUND_NOUNS.map(({ key, read }) => ({
      queryKey: [key, "palette"],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(signal),
      staleTime: FRESH_MS,
    })),
    combine: (results) =>
      results.flatMap(({ data = [] }, index) =>
        data.map((object) => ({ ...object, noun: FOUND_NOUNS[index] })),
      ),
  });
  const objects = found.map(({ id, name, noun }): Action => {
    const label = name === "" ? id : name;
    return {
      id,
      label,
      words: id,
      group: noun?.group ?? "",
      icon: noun?.icon ?? "chevronRight",
      run: () => go(id),
    };
  });
  const id = typed.trim();
  const isNew = objectPath(id) !== null && !objects.some((object) => object.id === id);
  return isNew
    ? [{ id, label: `Open ${id}`, group: "By id", icon: "link", run: () => go(id) }, ...objects]
    : objects;
}
