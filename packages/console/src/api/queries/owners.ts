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

/** What these owners are called: null where the service does not tell this caller. Only for others than the caller it is asked. */
export function useOwnerNames(ids: readonly string[]): (id: string) => string | null {
  const { data: me } = useQuery(whoamiQuery);
  const own = new Map(me && [me.principal, me.organization].map(({ id, name }) => [id, name]));
  const others = me !== undefined && ids.some((id) => !own.has(id));
  const { data: names } = useQuery({ ...namesQuery, enabled: others });
  return (id) => own.get(id) ?? names?.get(id) ?? null;
}
