import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { whoamiQuery } from "./whoami.ts";

const DAY_MS = 86_400_000;
/** The longest report. In days. */
const DAYS = 365;

/** E-mail addresses of users, and names of organizations, by id: of all whose sessions used something in the last year. */
const namesQuery = queryOptions({
  queryKey: ["owners"],
  queryFn: async ({ signal }) => {
    const from = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
    const { data } = await berth.usage.get({ from, group_by: "user" }, { signal });
    return new Map(data.flatMap(({ key, name }) => (key === null || name === null ? [] : [[key, name]])));
  },
  staleTime: 300_000,
  retry: false,
});

/** What an owner is called: null where the service does not tell this caller. */
export function useOwnerNames(): (id: string) => string | null {
  const { data: me } = useQuery(whoamiQuery);
  const { data: names } = useQuery(namesQuery);
  return (id) => {
    if (id === me?.principal.id) return me.principal.name;
    if (id === me?.organization.id) return me.organization.name;
    return names?.get(id) ?? null;
  };
}
