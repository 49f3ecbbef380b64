import { agents } from "./agents.ts";
import { environments } from "./environments.ts";
import { events } from "./events.ts";
import { files } from "./files.ts";
import { forward } from "./forward.ts";
import { memories } from "./memories.ts";
import { memoryStores } from "./memory-stores.ts";
import { memoryVersions } from "./memory-versions.ts";
import { models } from "./models.ts";
import type { Operation } from "./route.ts";
import { sessionResources } from "./session-resources.ts";
import { sessions } from "./sessions.ts";
import { skills } from "./skills.ts";
import { tokens } from "./tokens.ts";
import { vaultCredentials } from "./vault-credentials.ts";
import { vaults } from "./vaults.ts";

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
