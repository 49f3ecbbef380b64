import { agents } from "./operations/agents.ts";
import { environments } from "./operations/environments.ts";
import { events } from "./operations/events.ts";
import { files } from "./operations/files.ts";
import { forward } from "./operations/forward.ts";
import { memories } from "./operations/memories.ts";
import { memoryStores } from "./operations/memory-stores.ts";
import { memoryVersions } from "./operations/memory-versions.ts";
import { models } from "./operations/models.ts";
import { sessionResources } from "./operations/session-resources.ts";
import { sessions } from "./operations/sessions.ts";
import { skills } from "./operations/skills.ts";
import { tokens } from "./operations/tokens.ts";
import { vaultCredentials } from "./operations/vault-credentials.ts";
import { vaults } from "./operations/vaults.ts";
import type { Operation } from "./route.ts";

/** Every operation as plain data, in the order of the documentation. No import at run time but of such data: a client carries this table alone. */
export const operations = {
  tokens,
  agents,
  models,
  environments,
  sessions,
  sessionResources,
  events,
  files,
  vaults,
  vaultCredentials,
  memoryStores,
  memories,
  memoryVersions,
  skills,
  forward,
} as const satisfies Record<string, Record<string, Operation>>;
