/**
 * An example of an operation that needs more than its path. `$AGENT_ID` and the like are shell variables,
 * named after the parameters of paths.
 */
export interface Example {
  body?: Record<string, unknown>;
  /** The query as in a URL, without the question mark. */
  query?: string;
  /** Parts of a form, in curl's syntax. */
  form?: readonly string[];
  /** Name of the file whose content is the body. */
  file?: string;
  headers?: readonly string[];
}

const message = {
  type: "user.message",
  content: [{ type: "text", text: "Fix the failing test and push a branch." }],
};

/** Examples of sharing the objects of each of these nouns. */
const sharing = [
  "agents",
  "environments",
  "sessions",
  "files",
  "vaults",
  "memoryStores",
  "skills",
  "deployments",
].flatMap((noun): [string, Example][] => [
  [`${noun}.share`, { body: { user: "grace@example.com", access: "write" } }],
  [`${noun}.unshare`, { query: "user=grace@example.com" }],
]);

export const examples: Readonly<Record<string, Example>> = {
  ...Object.fromEntries(sharing),
  "tokens.create": { body: { name: "ci", scopes: ["sessions:read", "sessions:write"] } },
  "deviceAuthorizations.create": { body: { client_name: "ada's laptop", scopes: ["sessions:read"] } },
  "deviceAuthorizations.lookup": { body: { user_code: "$USER_CODE" } },
  "deviceAuthorizations.approve": { body: { user_code: "$USER_CODE", scopes: ["sessions:read"] } },
  "deviceAuthorizations.deny": { body: { user_code: "$USER_CODE" } },
  "deviceTokens.create": { body: { device_code: "$DEVICE_CODE" } },
  "agents.create": {
    body: {
      name: "Helper",
      model: "rehearsal/steps",
      system: "You are careful with other people's code.",
      tools: [{ type: "agent_toolset_20260401" }],
    },
  },
  "agents.update": { body: { version: 1, description: "Looks after the tests." } },
  "agents.list": { query: "limit=10" },
  "environments.create": {
    body: {
      name: "registry",
      config: {
        type: "cloud",
        networking: {
          type: "limited",
          allowed_hosts: ["registry.example.com"],
          allow_package_managers: true,
        },
        packages: { npm: ["typescript@5.4.2"] },
      },
      credentials: "proxy",
      resources: { memory_mb: 2048 },
    },
  },
  "environments.update": { body: { environment_variables: { CI: "true" } } },
  "sessions.create": {
    body: {
      agent: "$AGENT_ID",
      environment_id: "$ENVIRONMENT_ID",
      title: "The failing test",
      resources: [{ type: "file", file_id: "$FILE_ID" }],
      initial_events: [message],
    },
  },
  "sessions.list": { query: "statuses[]=idle&statuses[]=running" },
  "sessions.update": { body: { title: "The test that failed", metadata: { ticket: "T-1" } } },
  "sessionResources.add": { body: { type: "file", file_id: "$FILE_ID" } },
  "sessionResources.rotate": { body: { authorization_token: "$PROVIDER_TOKEN" } },
  "workspace.list": { query: "path=/data" },
  "workspace.content": { query: "path=/data/notes.txt" },
  "pullRequests.get": { query: "max_age=60" },
  "previews.create": { body: { port: 5173 } },
  "confirmationRules.create": { body: { tool_name: "Bash", command_prefix: "npm test" } },
  "events.send": { body: { events: [message] } },
  "events.list": { query: "types[]=agent.message&order=desc" },
  "events.stream": { query: "from=start" },
  "principals.get": { query: "ids[]=usr_01k9zp1s4vfqyb9b3z2j4tqk6c" },
  "usage.get": { query: "from=2026-11-01&to=2026-11-30&group_by=agent" },
  "files.upload": { form: ["file=@notes.txt"] },
  "files.putContent": { file: "notes.txt" },
  "files.content": { headers: ["Range: bytes=0-99"] },
  "vaults.create": { body: { display_name: "Tools" } },
  "vaults.update": { body: { metadata: { team: "core" } } },
  "vaultCredentials.create": {
    body: {
      auth: { type: "static_bearer", mcp_server_url: "https://mcp.example.com/mcp", token: "$MCP_TOKEN" },
    },
  },
  "vaultCredentials.update": { body: { display_name: "The tools' server" } },
  "connections.create": {
    body: {
      display_name: "Acme on GitHub",
      auth: { type: "token", api: "github", token: "$PROVIDER_TOKEN" },
    },
  },
  "connections.update": { body: { display_name: "Acme" } },
  "connections.repositories": { query: "query=widget" },
  "connections.branches": { query: "repository=acme/shop" },
  "webhooks.create": {
    body: {
      name: "Chat bot",
      url: "https://hooks.example.com/berth",
      enabled_events: ["session.requires_action", "pull_request.*"],
    },
  },
  "webhooks.update": { body: { enabled_events: ["session.*"] } },
  "webhooks.deliveries": { query: "status=failed" },
  "deployments.create": {
    body: {
      name: "Nightly",
      agent: "$AGENT_ID",
      environment_id: "$ENVIRONMENT_ID",
      schedule: { type: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin" },
      initial_events: [message],
    },
  },
  "deployments.update": { body: { schedule: { type: "cron", expression: "0 4 * * 1-5", timezone: "UTC" } } },
  "deployments.runs": { query: "trigger_type=manual" },
  "deploymentRuns.list": { query: "trigger_type=schedule" },
  "deploymentTriggers.create": {
    body: {
      type: "github",
      connection_id: "$CONNECTION_ID",
      filter: { match: { "repository.full_name": "acme/shop" } },
    },
  },
  "deploymentTriggers.update": { body: { allowed_users: ["ada"] } },
  "deploymentTriggers.deliveries": { query: "status=ignored" },
  "memoryStores.create": { body: { name: "Conventions", description: "How we write code." } },
  "memoryStores.update": { body: { description: "How we write and review code." } },
  "memories.create": { body: { path: "/style.md", content: "Two spaces." } },
  "memories.update": { body: { content: "Two spaces, no tabs." } },
  "memories.list": { query: "path_prefix=/" },
  "skills.create": { form: ["files[]=@SKILL.md;filename=SKILL.md"] },
  "skills.createVersion": { form: ["files[]=@SKILL.md;filename=SKILL.md"] },
  "skills.content": { query: "path=SKILL.md" },
  "skills.update": { body: { display_title: "Release notes" } },
  "forward.register": { body: { type: "skill", resource: { id: "$SKILL_ID" } } },
  "forward.list": { query: "type=skill" },
  "adminOrganizations.create": { body: { name: "acme" } },
  "adminOrganizations.update": { body: { name: "Acme Inc" } },
  "adminUsers.create": {
    body: { email: "ada@example.com", organization_id: "$ORGANIZATION_ID", role: "admin" },
  },
  "adminUsers.update": { body: { role: "member" } },
  "adminServiceAccounts.create": { body: { name: "ci", organization_id: "$ORGANIZATION_ID" } },
  "adminTokens.create": { body: { user_id: "$USER_ID", name: "first", scopes: ["sessions:read"] } },
  "adminOperatorTokens.create": { body: { name: "provisioning" } },
  "adminLimits.update": { body: { open_sessions: 50, requests_per_second: "none" } },
  "adminRetention.update": { body: { sessions: 90, files: "none" } },
  "adminErasures.create": { body: { user_id: "$USER_ID" } },
  "adminDeviceAuthorizations.lookup": { body: { user_code: "$USER_CODE" } },
  "adminDeviceAuthorizations.approve": { body: { user_code: "$USER_CODE", user_id: "$USER_ID" } },
  "adminDeviceAuthorizations.deny": { body: { user_code: "$USER_CODE" } },
  "adminHosts.forget": { body: { force: true } },
  "adminAuditEntries.list": { query: "operation=agents&limit=10" },
  "adminAuditEntries.export": { query: "operation=agents&format=csv" },
  "adminTokens.list": { query: "user_id=$USER_ID" },
};
