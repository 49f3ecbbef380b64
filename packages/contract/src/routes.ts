import { agentRoutes } from "./agents.ts";
import { environmentRoutes } from "./environments.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { forwardRoutes } from "./forward.ts";
import { memoryRoutes } from "./memories.ts";
import { memoryStoreRoutes } from "./memory-stores.ts";
import { memoryVersionRoutes } from "./memory-versions.ts";
import { modelRoutes } from "./models.ts";
import { sessionResourceRoutes } from "./session-resources.ts";
import { sessionRoutes } from "./sessions.ts";
import { skillRoutes } from "./skills.ts";
import { tokenRoutes } from "./tokens.ts";
import { vaultCredentialRoutes } from "./vault-credentials.ts";
import { vaultRoutes } from "./vaults.ts";

/** Every route of the API, by noun and verb as in `operations`. */
export const routes = {
  tokens: tokenRoutes,
  agents: agentRoutes,
  models: modelRoutes,
  environments: environmentRoutes,
  sessions: sessionRoutes,
  sessionResources: sessionResourceRoutes,
  events: eventRoutes,
  files: fileRoutes,
  vaults: vaultRoutes,
  vaultCredentials: vaultCredentialRoutes,
  memoryStores: memoryStoreRoutes,
  memories: memoryRoutes,
  memoryVersions: memoryVersionRoutes,
  skills: skillRoutes,
  forward: forwardRoutes,
};
