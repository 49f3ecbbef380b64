import { berth } from "../api/client.ts";
import type { Action } from "../shell/actions.ts";

export type FoundNoun = {
  /** The noun that query keys begin with, so that changed objects are read again. */
  key: string;
  group: string;
  icon: NonNullable<Action["icon"]>;
  read: (signal: AbortSignal) => Promise<{ id: string; name: string }[]>;
};

/** The number of newest objects of each noun that are found by name. By its id, any object is found. */
const QUERY = { limit: 100 };

/** The nouns whose objects the palette finds. Each has its page in `shell/object-paths`. */
export const FOUND_NOUNS: readonly FoundNoun[] = [
  {
    key: "sessions",
    group: "Session",
    icon: "session",
    read: async (signal) =>
      (await berth.sessions.list(QUERY, { signal })).data.map(({ id, title }) => ({ id, name: title })),
  },
  {
    key: "deployments",
    group: "Deployment",
    icon: "clock",
    read: async (signal) => (await berth.deployments.list(QUERY, { signal })).data,
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
    key: "connections",
    group: "Connection",
    icon: "branch",
    read: async (signal) =>
      (await berth.connections.list(QUERY, { signal })).data.map(({ id, display_name }) => ({
        id,
        name: display_name,
      })),
  },
  {
    key: "webhooks",
    group: "Webhook",
    icon: "send",
    read: async (signal) =>
      (await berth.webhooks.list(QUERY, { signal })).data.map(({ id, name, url, recipients }) => ({
        id,
        name: name ?? url ?? recipients.join(", "),
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
