import { z } from "zod";
import {
  deletedObject,
  idOf,
  metadata,
  metadataPatch,
  owner,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { createdAtBounds, flag, listQuery, pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { givenTools, resolvedTool } from "./agent-tools.ts";
import { mcpServer } from "./mcp.ts";
import { agentSkill } from "./skills.ts";

/** Each is named by one `mcp_toolset` of the agent's tools. */
const mcpServers = z
  .array(mcpServer)
  .max(20)
  .superRefine((servers, context) => {
    const names = servers.map(({ name }) => name);
    const twice = names.findIndex((name, index) => names.indexOf(name) < index);
    if (twice < 0) return;
    const message = `There is a server named '${names[twice]}' already.`;
    context.addIssue({ code: "custom", path: [twice, "name"], message });
  });

/** `"provider/model"`, or an object that narrows the window. */
const modelChoice = z.union([
  text(1, 256),
  z.strictObject({
    id: text(1, 256),
    effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
    context_window: z.int().min(1_000).max(10_000_000).nullish(),
  }),
]);

/** The parts of an agent that a session keeps as they were at its creation. */
export const agentSnapshot = {
  id: idOf("agent"),
  type: z.literal("agent"),
  name: z.string(),
  description: z.string().nullable(),
  model: z.strictObject({
    id: z.string().meta({ description: "`provider/model`, as the installation's registry names it." }),
    effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
    effective_context_window: z.int().meta({ description: "Tokens." }),
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
        .meta({ description: "In an agent, null stands for the newest; a session has the number." }),
      name: z.string(),
    }),
  ),
  version: z.int().meta({ description: "From 1." }),
};

export const agent = z
  .strictObject({
    ...agentSnapshot,
    metadata,
    ...owner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Agent" });
export type Agent = z.output<typeof agent>;

export const sessionAgent = z.strictObject(agentSnapshot).meta({ id: "SessionAgent" });
export type SessionAgent = z.output<typeof sessionAgent>;

const agentParams = z.strictObject({ agent_id: z.string() });

/** `version` of a query: a decimal integer. */
const versionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, { error: "Field 'version' must be a positive integer." })
  .transform(Number)
  .optional()
  .meta({ type: "integer", minimum: 1, description: "The agent as of this version; the newest by default." });

export const agentRoutes = {
  create: defineRoute(operations.agents.create, {
    body: z.strictObject({
      name: text(1, 256),
      model: modelChoice,
      description: text(0, 2048).nullish(),
      system: text(0, 100_000).nullish(),
      tools: givenTools.nullish(),
      mcp_servers: mcpServers.nullish(),
      skills: z.array(agentSkill).max(20).nullish(),
      metadata: metadata.nullish(),
    }),
    response: agent,
  }),
  list: defineRoute(operations.agents.list, {
    query: listQuery("agent", { include_archived: flag }),
    response: pageOf(agent),
  }),
  get: defineRoute(operations.agents.get, {
    params: agentParams,
    query: z.strictObject({ version: versionNumber }),
    response: agent,
  }),
  /** What is left out stays as it is, null clears, lists are replaced whole. Any change makes a version; none makes none. */
  update: defineRoute(operations.agents.update, {
    params: agentParams,
    body: z.strictObject({
      version: z.int().min(1).meta({ description: "The newest version, to which the change is made." }),
      name: text(1, 256).optional(),
      model: modelChoice.optional(),
      description: text(0, 2048).nullish(),
      system: text(0, 100_000).nullish(),
      tools: givenTools.nullish(),
      mcp_servers: mcpServers.nullish(),
      skills: z.array(agentSkill).max(20).nullish(),
      metadata: metadataPatch.nullish(),
    }),
    response: agent,
  }),
  /** Archived agents may be deleted, those with which a session was created may not. */
  delete: defineRoute(operations.agents.delete, {
    params: agentParams,
    response: deletedObject("agent"),
  }),
  archive: defineRoute(operations.agents.archive, {
    params: agentParams,
    response: agent,
  }),
  /** Newest first. Every entry has the agent's id, so that `page` alone leads on: there are no anchors by id. */
  versions: defineRoute(operations.agents.versions, {
    params: agentParams,
    query: z.strictObject({ ...pageQuery, ...createdAtBounds("When the version was made.") }),
    response: pageOf(agent),
  }),
};
