import type { Agent, Berth, PagedList, Session } from "@berth/sdk";

/**
 * Returns sentences about what is deleted with an object, or prevents its deletion, as far as one or two
 * requests can tell. Returns an empty text if there is nothing, or nothing is known.
 */
export async function whatHangsOn(client: Berth, operationId: string, objectId: string): Promise<string> {
  const facts = FACTS[operationId]?.map((fact) => fact(client, objectId)) ?? [];
  // A token may lack permission to read it. The service decides whether the object can be deleted.
  const said = await Promise.allSettled(facts);
  return said.map((one) => (one.status === "fulfilled" && one.value !== "" ? ` ${one.value}` : "")).join("");
}

/** Returns a sentence, or an empty text. */
type Fact = (client: Berth, id: string) => Promise<string>;

/** Page size: the maximum of one request. */
const limit = 100;
const ACTIVE = ["idle", "running", "rescheduling"] as const;

const FACTS: Readonly<Record<string, readonly Fact[]>> = {
  "agents.delete": [
    async ({ sessions }, agent_id) =>
      kept(
        await counted(sessions.list({ agent_id, include_archived: true, limit })),
        ["session was created with it", "sessions were created with it"],
        "deleted",
      ),
  ],
  "environments.delete": [
    async ({ sessions }, environment_id) => {
      const query = { environment_id, include_archived: true, statuses: [...ACTIVE], limit };
      return usedBySessions(await counted(sessions.list(query)), "terminated");
    },
  ],
  "files.delete": [
    async (client, file_id) => {
      const has = ({ resources }: Session) =>
        resources.some((one) => one.type === "file" && one.file_id === file_id);
      return usedBySessions(await counted(activeSessions(client), has));
    },
    async ({ files }, id) => {
      const { scope } = await files.get(id);
      return scope === null ? "" : `It is an output of the session ${scope.id}.`;
    },
  ],
  "memoryStores.delete": [
    async ({ memoryStores }, id) =>
      gone(await counted(memoryStores.memories.list(id, { limit })), ["memory", "memories"]),
    async ({ sessions }, memory_store_id) =>
      usedBySessions(await counted(sessions.list({ memory_store_id, statuses: [...ACTIVE], limit }))),
  ],
  "skills.delete": [
    async ({ skills }, id) => gone(await counted(skills.versions(id, { limit })), ["version", "versions"]),
    async ({ agents }, id) => {
      const has = ({ skills }: Agent) => skills.some(({ skill_id }) => skill_id === id);
      const found = await counted(agents.list({ limit }), has);
      return kept(found, ["agent has it", "agents have it"], "archived or changed");
    },
  ],
  "vaults.delete": [
    async ({ vaults }, id) =>
      gone(await counted(vaults.credentials.list(id, { limit })), ["credential", "credentials"]),
    async (client, id) =>
      usedBySessions(await counted(activeSessions(client), ({ vault_ids }) => vault_ids.includes(id))),
  ],
};

function activeSessions({ sessions }: Berth): PagedList<Session> {
  return sessions.list({ statuses: [...ACTIVE], limit });
}

/** Number of objects on the first page, and whether there may be more. */
interface Count {
  count: number;
  isLeast: boolean;
}

async function counted<Item>(
  list: PagedList<Item>,
  has: (item: Item) => boolean = () => true,
): Promise<Count> {
  const { data, has_more: isLeast } = await list;
  return { count: data.filter(has).length, isLeast };
}

function usedBySessions(found: Count, until = "terminated or archived"): string {
  return kept(found, ["session uses it", "sessions use it"], until);
}

function kept({ count, isLeast }: Count, [one, several]: [string, string], until: string): string {
  if (count === 0) return "";
  const [noun] = (count === 1 ? one : several).split(" ");
  const users = count === 1 ? `that ${noun} is` : `those ${noun} are`;
  const said = `${isLeast ? "At least " : ""}${count} ${count === 1 ? one : several}`;
  return `${said}: the service keeps it until ${users} ${until}.`;
}

function gone({ count, isLeast }: Count, [one, several]: [string, string]): string {
  if (count === 0) return "";
  const all = count === 1 ? `one ${one} is` : `${isLeast ? "more than " : ""}${count} ${several} are`;
  return `Its ${all} deleted, too.`;
}
