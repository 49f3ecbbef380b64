import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useList } from "../../api/use-list.ts";

/** Objects that are read at a time. */
const LIMIT = 100;

/** The first part of the keys of what administration reads. */
const KEY = "administration";

export const useUsers = () => useList([KEY, "users"], () => berth.admin.users.list({ limit: LIMIT }));

export const useServiceAccounts = () =>
  useList([KEY, "service accounts"], () => berth.admin.serviceAccounts.list({ limit: LIMIT }));

export const useTokens = (user_id: string | undefined, live: number) =>
  useList(
    [KEY, "tokens", user_id],
    () => berth.admin.tokens.list({ limit: LIMIT, ...(user_id !== undefined && { user_id }) }),
    { live },
  );

export const useErasures = () =>
  useList([KEY, "erasures"], () => berth.admin.erasures.list({ limit: LIMIT }));

/** Reads again what administration shows, and who the user is. */
export async function refreshAdministration(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: [KEY] }),
    queryClient.invalidateQueries({ queryKey: ["whoami"] }),
    queryClient.invalidateQueries({ queryKey: ["tokens"] }),
  ]);
}

export const limitsKey = (id: string) => [KEY, "limits", id];
export const organizationKey = [KEY, "organization"];
export const auditKey = [KEY, "audit"];
