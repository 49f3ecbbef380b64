import { queryOptions } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";
import type { ForwardType } from "./forward-search.ts";

type Named = { id: string; name: string };

/** The number of objects that are offered. */
const LIMIT = 50;

/** Returns the query of a type's newest objects, by name. */
export function registrable(type: ForwardType) {
  return queryOptions({
    queryKey: [NOUNS[type], "registrable"],
    queryFn: ({ signal }) => LISTS[type](signal),
  });
}

const NOUNS = { environment: "environments", skill: "skills", file: "files", vault: "vaults" } as const;

const LISTS: Readonly<Record<ForwardType, (signal: AbortSignal) => Promise<Named[]>>> = {
  environment: async (signal) => (await berth.environments.list({ limit: LIMIT }, { signal })).data,
  skill: async (signal) => (await berth.skills.list({ limit: LIMIT }, { signal })).data,
  file: async (signal) =>
    (await berth.files.list({ limit: LIMIT }, { signal })).data.map(({ id, filename }) => ({
      id,
      name: filename,
    })),
  vault: async (signal) =>
    (await berth.vaults.list({ limit: LIMIT }, { signal })).data.map(({ id, display_name }) => ({
      id,
      name: display_name,
    })),
};
