import { z } from "zod";
import { idOf, metadata, metadataPatch, text, timestamp } from "../../conventions/fields.ts";
import { gitIdentity, gitIdentityInput } from "../../conventions/git-identity.ts";
import { createdAtBounds, pageOf, pageQuery } from "../../conventions/page.ts";
import { sharedOwner, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";
import { resolvedTool, toolsInput } from "./agent-tools.ts";
import { mcpServer } from "./mcp.ts";
import { agentSkill } from "./skills.ts";

/** The agent's MCP servers. Each has one `mcp_toolset` among the agent's tools. */
const mcpServers = z
  .array(mcpServer)
  .max(20)
  .superRefine((servers, context) => {
    const names = servers.map(({ name }) => name);
    const twice = names.findIndex((name, index) => names.indexOf(name) < index);
    if (twice < 0) return;
    const message = `There is already a server named '${names[twice]}'.`;
    context.addIssue({ code: "custom", path: [twice, "name"], message });
  });

const MAX_WINDOW = 10_000_000;

/** `"provider/model"`, or an object that also sets effort, window, compaction or cache lifetime. */
const modelChoice = z.union([
  text(1, 256),
  z.strictObject({
    id: text(1, 256),
    effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
    context_window: z.int().min(1_000).max(MAX_WINDOW).nullish(),
    compact_at: z.int().min(1_000).max(MAX_WINDOW).nullish().meta({
      description:
        "The history is compacted when a request would have this many tokens, and at the latest when the window is full. Default: when a summary costs less than sending the history on, judged by the model's prices and the session's requests so far, but not below 28,000 tokens.",
    }),
    compact_when_idle: z.boolean().nullish().meta({
      description:
        "Whether a session that waits for its user is compacted shortly before the provider's cache expires, if writing the history again would cost more. Default: true.",
    }),
    cache_ttl: z.enum(["auto", "5m", "1h"]).nullish().meta({
      description:
        "How long the provider's cache is asked to keep a request, if the provider allows a choice: an hour costs 1.6 times as much as five minutes, but saves writing the history again after pauses between the two. Default: `auto`, an hour once the session's own pauses would have made that cheaper.",
    }),
  }),
]);

/** The fields of an agent that a session copies when it is created. */
export const agentSnapshot = {
  id: idOf("agent"),
  type: z.literal("agent"),
  name: z.string(),
  description: z.string().nullable(),
  model: z.strictObject({
    id: z.string().meta({ description: "`provider/model`, as in the installation's registry of models." }),
    effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
    effective_context_window: z.int().meta({ description: "In tokens." }),
    compact_at: z.int().optional().meta({ description: "As in the request. Absent if the agent has none." }),
    compact_when_idle: z
      .literal(false)
      .optional()
      .meta({ description: "Absent if the agent's sessions are compacted when idle." }),
    cache_ttl: z
      .enum(["5m", "1h"])
      .optional()
      .meta({ description: "As in the request. Absent if the session's pauses decide." }),
  }),
  system: z.string(),
  tools: z.array(resolvedTool),
  mcp_servers: z.array(mcpServer),
  skills: z.array(
    z.strictObject({
      type: z.literal("custom"),
      skill_id: idOf("skill"),
      version: z
        .int()
        .nullable()
        .meta({ description: "The number of the version. In an agent, null means the newest version." }),
      name: z.string(),
    }),
  ),
  git_identity: gitIdentity.optional().meta({ description: "Absent if the agent has none." }),
  max_model_requests: z
    .int()
    .optional()
    .meta({ description: "As in the request. Absent if the agent has none." }),
  version: z.int().meta({ description: "The number of the version, from 1." }),
};

export const agent = z
  .strictObject({
    ...agentSnapshot,
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Agent" });
export type Agent = z.output<typeof agent>;

export const sessionAgent = z.strictObject(agentSnapshot).meta({ id: "SessionAgent" });
export type SessionAgent = z.output<typeof sessionAgent>;

const maxModelRequests = z.int().min(1).max(1_000_000).nullish().meta({
  description:
    "Maximum requests to the model in one turn. The turn then ends with the stop reason `max_turns`; the next message continues the work. Default: the installation's (`BERTH_MAX_MODEL_REQUESTS`, 500).",
});

/** Maximum bytes of an agent without its metadata, as JSON with its defaults. */
export const MAX_AGENT_BYTES = 1024 * 1024;
const SIZE_DESCRIPTION = `The whole agent has at most ${MAX_AGENT_BYTES} bytes as JSON.`;

const params = z.strictObject({ agent_id: z.string() });

/** `version` of a query: a decimal integer. */
const versionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, { error: "Field 'version' must be a positive integer." })
  .transform(Number)
  .optional()
  .meta({
    type: "integer",
    minimum: 1,
    description: "Return this version of the agent. Default: the newest.",
  });

/** The fields of a request besides name, model and metadata. */
const settings = {
  description: text(0, 2048).nullish(),
  system: text(0, 100_000).nullish(),
  tools: toolsInput.nullish().meta({ description: SIZE_DESCRIPTION }),
  mcp_servers: mcpServers.nullish(),
  skills: z.array(agentSkill).max(20).nullish(),
  git_identity: gitIdentityInput.nullish(),
  max_model_requests: maxModelRequests,
};

export const agentRoutes = {
  ...crud(operations.agents, {
    kind: "agent",
    object: agent,
    params,
    create: z.strictObject({
      name: text(1, 256),
      model: modelChoice
        .optional()
        .meta({ description: "Required unless the installation has a default model (see `GET /models`)." }),
      ...settings,
      metadata: metadata.nullish(),
      visibility: visibilityInput,
    }),
    update: z.strictObject({
      version: z.int().min(1).meta({
        description:
          "The number of the newest version, which protects a concurrent update from being overwritten.",
      }),
      name: text(1, 256).optional(),
      model: modelChoice.optional(),
      ...settings,
      metadata: metadataPatch.nullish(),
    }),
  }),
  get: defineRoute(operations.agents.get, {
    params,
    query: z.strictObject({ version: versionNumber }),
    response: agent,
  }),
  ...sharingRoutes(operations.agents, params),
  archive: defineRoute(operations.agents.archive, { params, response: agent }),
  /** Lists versions, newest first. All entries have the same id, so `page` is the only cursor. */
  versions: defineRoute(operations.agents.versions, {
    params,
    query: z.strictObject({ ...pageQuery, ...createdAtBounds("Time at which the version was created.") }),
    response: pageOf(agent),
  }),
};
