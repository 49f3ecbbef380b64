import { adminRoutes } from "./admin/routes.ts";
import { agentRoutes } from "./agents/agents.ts";
import { modelRoutes } from "./agents/models.ts";
import { skillRoutes } from "./agents/skills.ts";
import { connectionRoutes } from "./connections/connections.ts";
import { consoleLinkRoutes } from "./console-links.ts";
import { deploymentRunRoutes } from "./deployments/deployment-runs.ts";
import { deploymentRoutes } from "./deployments/deployments.ts";
import { triggerRoutes } from "./deployments/triggers.ts";
import { environmentRoutes } from "./environments/environments.ts";
import { runtimeRoutes } from "./environments/runtimes.ts";
import { eventRoutes } from "./events/events.ts";
import { fileRoutes } from "./files.ts";
import { forwardRoutes } from "./forward.ts";
import { healthRoutes } from "./health.ts";
import { memoryRoutes } from "./memory/memories.ts";
import { memoryStoreRoutes } from "./memory/memory-stores.ts";
import { memoryVersionRoutes } from "./memory/memory-versions.ts";
import { principalRoutes } from "./principals.ts";
import { changesRoutes } from "./sessions/changes.ts";
import { confirmationRuleRoutes } from "./sessions/confirmation-rules.ts";
import { previewRoutes } from "./sessions/previews.ts";
import { pullRequestRoutes } from "./sessions/pull-requests.ts";
import { sessionResourceRoutes } from "./sessions/session-resources.ts";
import { sessionRoutes } from "./sessions/sessions.ts";
import { workspaceRoutes } from "./sessions/workspace.ts";
import { deviceAuthorizationRoutes, deviceTokenRoutes } from "./tokens/device-authorizations.ts";
import { tokenRoutes } from "./tokens/tokens.ts";
import { usageRoutes } from "./usage.ts";
import { vaultCredentialRoutes } from "./vaults/vault-credentials.ts";
import { vaultRoutes } from "./vaults/vaults.ts";
import { webhookRoutes } from "./webhooks/webhooks.ts";
import { whoamiRoutes } from "./whoami.ts";

/** Every route of the API, by noun and verb, as in `operations`. */
export const routes = {
  tokens: tokenRoutes,
  deviceAuthorizations: deviceAuthorizationRoutes,
  deviceTokens: deviceTokenRoutes,
  whoami: whoamiRoutes,
  principals: principalRoutes,
  consoleLinks: consoleLinkRoutes,
  agents: agentRoutes,
  models: modelRoutes,
  environments: environmentRoutes,
  runtimes: runtimeRoutes,
  sessions: sessionRoutes,
  sessionResources: sessionResourceRoutes,
  workspace: workspaceRoutes,
  changes: changesRoutes,
  pullRequests: pullRequestRoutes,
  previews: previewRoutes,
  confirmationRules: confirmationRuleRoutes,
  events: eventRoutes,
  deployments: deploymentRoutes,
  deploymentRuns: deploymentRunRoutes,
  deploymentTriggers: triggerRoutes,
  usage: usageRoutes,
  health: healthRoutes,
  files: fileRoutes,
  vaults: vaultRoutes,
  vaultCredentials: vaultCredentialRoutes,
  connections: connectionRoutes,
  webhooks: webhookRoutes,
  memoryStores: memoryStoreRoutes,
  memories: memoryRoutes,
  memoryVersions: memoryVersionRoutes,
  skills: skillRoutes,
  forward: forwardRoutes,
  ...adminRoutes,
};
