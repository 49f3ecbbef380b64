import {
  agentRoutes,
  deploymentRoutes,
  environmentRoutes,
  fileRoutes,
  type IdKind,
  memoryStoreRoutes,
  sessionRoutes,
  skillRoutes,
  vaultRoutes,
} from "@berth/contract";
import type { RequireAccess, SharedRow } from "@berth/store/access";
import { requireMemoryStore } from "@berth/store/memories";
import { requireAgent } from "../agents/agent-store.ts";
import { requireDeployment } from "../deployments/store/deployment-store.ts";
import { requireEnvironment } from "../environments/environment-store.ts";
import { requireFile } from "../files/file-store.ts";
import { requireSession } from "../sessions/state/session-state-store.ts";
import { requireSkill } from "../skills/skill-store.ts";
import { requireVault, requireVaultForUpdate } from "../vaults/vault-store.ts";

/** What can be shared. */
export interface SharedKind {
  kind: IdKind;
  table: string;
  routes: Pick<typeof agentRoutes, "share" | "unshare" | "shares">;
  /** Reads the object that the path names. */
  read: RequireAccess<SharedRow & { scope_session_id?: string | null }>;
  /** Reads it as `read` does, and locks it against uses that begin meanwhile. Default: `read`. */
  lock?: SharedKind["read"];
  /** Whether the whole organization can have `write`. */
  organizationWrites?: true;
}

/** Joins routes whose parameters have other names with the type of the others. */
const routesOf = (routes: Record<"share" | "unshare" | "shares", unknown>) => routes as SharedKind["routes"];

export const SHARED_KINDS: readonly SharedKind[] = [
  { kind: "agent", table: "agents", routes: agentRoutes, read: requireAgent },
  {
    kind: "environment",
    table: "environments",
    routes: routesOf(environmentRoutes),
    read: requireEnvironment,
  },
  { kind: "skill", table: "skills", routes: routesOf(skillRoutes), read: requireSkill },
  {
    kind: "vault",
    table: "vaults",
    routes: routesOf(vaultRoutes),
    read: requireVault,
    lock: requireVaultForUpdate,
  },
  {
    kind: "memory_store",
    table: "memory_stores",
    routes: routesOf(memoryStoreRoutes),
    read: requireMemoryStore,
  },
  {
    kind: "deployment",
    table: "deployments",
    routes: routesOf(deploymentRoutes),
    read: requireDeployment,
  },
  { kind: "file", table: "files", routes: routesOf(fileRoutes), read: requireFile },
  {
    kind: "session",
    table: "sessions",
    routes: routesOf(sessionRoutes),
    read: requireSession,
    organizationWrites: true,
  },
];
