import { berth } from "../api/client.ts";
import type { Action } from "../shell/actions.ts";

export type FoundNoun = {
  /** The noun that keys of queries begin with, so that a change of an object is found too. */
  key: string;
  group: string;
  icon: NonNullable<Action["icon"]>;
  read: (signal: AbortSignal) => Promise<{ id: string; name: string }[]>;
};

/** So many of each noun are found by name, the newest; any is found by its id. */
const QUERY = { limit: 100 };

/** The objects that the palette finds. Each has its page in `shell/object-paths`. */
export const FOUND_NOUNS: readonly FoundNoun[] = [
  {
    key: "sessions",
    group: "Session",
    icon: "session",
    read: async (signal) =>
      (await berth.sessions.list(QUERY, { signal })).data.map(({ id, title }) => ({ id, name: title })),
  },
  {
    key: "agents",
    group: "Agent",
    icon: "agent",
    read: async (signal) => (await berth.agents.list(QUERY, { signal })).data,
  },
  {
    key: "environments",
    group: "Environment",
    icon: "environment",
    read: async (signal) => (await berth.environments.list(QUERY, { signal })).data,
  },
  {
    key: "files",
    group: "File",
    icon: "file",
    read: async (signal) =>
      (await berth.files.list(QUERY, { signal })).data.map(({ id, filename }) => ({ id, name: filename })),
  },
  {
    key: "skills",
    group: "Skill",
    icon: "skill",
    read: async (signal) =>
      (await berth.skills.list(QUERY, { signal })).data.map(({ id, name, display_title }) => ({
        id,
        name: display_title ?? name,
      })),
  },
  {
    key: "vaults",
    group: "Vault",
    icon: "vault",
    read: async (signal) =>
      (await berth.vaults.list(QUERY, { signal })).data.map(({ id, display_name }) => ({
        id,
        name: display_name,
      })),
  },
  {
    key: "memory stores",
    group: "Memory store",
    icon: "memory",
    read: async (signal) => (await berth.memoryStores.list(QUERY, { signal })).data,
  },
  {
    key: "tokens",
    group: "Token",
    icon: "key",
    read: async (signal) => (await berth.tokens.list(QUERY, { signal })).data,
  },
];
