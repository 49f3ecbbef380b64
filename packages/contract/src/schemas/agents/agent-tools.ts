import { z } from "zod";
import { taggedUnion } from "../../conventions/fields.ts";
import { customTool } from "./custom-tools.ts";
import { mcpToolset, resolvedMcpToolset } from "./mcp.ts";
import { permissionPolicy } from "./permission-policy.ts";

/** The tools of an agent that names none, in the order of a model's tool list. */
export const DEFAULT_TOOL_NAMES = ["Bash", "Read", "Write", "Edit", "Glob", "Grep"] as const;
/** The tools of `agent_toolset_20260401`, in the model's order. `Explore` is off unless enabled. */
export const TOOL_NAMES = [...DEFAULT_TOOL_NAMES, "Explore"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** Bytes of one result that the model sees, for the tools whose results can be long. */
export const DEFAULT_RESULT_BYTES = { Bash: 10_240, Read: 24_576, Grep: 12_288, Explore: 8_192 } as const;

/** The budget of an Explore call: requests to its model, the last for the answer, and all their tokens. */
export const DEFAULT_EXPLORE_BUDGET = { max_requests: 25, max_tokens: 500_000 } as const;

const maxResultBytes = z
  .int()
  .min(1_000)
  .max(102_400)
  .meta({
    description: `Bytes of one result that the model sees, not counting the notes that say what is left out and how to get it. Only for ${Object.entries(
      DEFAULT_RESULT_BYTES,
    )
      .map(([name, bytes]) => `${name} (default ${bytes})`)
      .join(", ")}.`,
  });

/** Options of Explore only. */
const exploreOptions = {
  model: z.string().min(1).max(200).optional().meta({
    description: "Only for Explore: the model that answers, such as a cheaper one. Default: the agent's.",
  }),
  max_requests: z
    .int()
    .min(2)
    .max(200)
    .optional()
    .meta({
      description: `Only for Explore: maximum requests to the model for one answer, which do not count towards the agent's \`max_model_requests\`. Default ${DEFAULT_EXPLORE_BUDGET.max_requests}.`,
    }),
  max_tokens: z
    .int()
    .min(10_000)
    .max(10_000_000)
    .optional()
    .meta({
      description: `Only for Explore: input and output tokens of all requests for one answer, after which the model is asked to answer with what it has found. Default ${DEFAULT_EXPLORE_BUDGET.max_tokens}.`,
    }),
};
const EXPLORE_OPTIONS = Object.keys(exploreOptions) as (keyof typeof exploreOptions)[];

const toolConfig = z
  .strictObject({
    name: z.enum(TOOL_NAMES),
    enabled: z.boolean().optional(),
    permission_policy: permissionPolicy.optional(),
    max_result_bytes: maxResultBytes.optional(),
    ...exploreOptions,
  })
  .refine(({ name, max_result_bytes }) => max_result_bytes === undefined || name in DEFAULT_RESULT_BYTES, {
    path: ["max_result_bytes"],
    message: `Field '{field}' is only for ${Object.keys(DEFAULT_RESULT_BYTES).join(", ")}.`,
  })
  .superRefine((config, context) => {
    if (config.name === "Explore") return;
    for (const option of EXPLORE_OPTIONS)
      if (config[option] !== undefined)
        context.addIssue({ code: "custom", path: [option], message: "Field '{field}' is only for Explore." });
  });

/**
 * The tools of a coding agent. Without `enabled_tools` all but Explore are enabled. Explore is enabled if the
 * list names it, or if `configs` has an entry for it without `enabled: false`.
 */
const agentToolset = z
  .strictObject({
    type: z.literal("agent_toolset_20260401"),
    enabled_tools: z.array(z.enum(TOOL_NAMES)).max(TOOL_NAMES.length).nullish(),
    disallowed_tools: z.array(z.enum(TOOL_NAMES)).max(TOOL_NAMES.length).nullish(),
    configs: z.array(toolConfig).max(TOOL_NAMES.length).nullish(),
  })
  .superRefine((toolset, context) => {
    const both = (toolset.enabled_tools ?? []).filter((name) => toolset.disallowed_tools?.includes(name));
    if (both[0] === undefined) return;
    const message = `Tool '${both[0]}' is in both 'enabled_tools' and 'disallowed_tools'.`;
    context.addIssue({ code: "custom", path: ["disallowed_tools"], message });
  });

const tool = taggedUnion("type", [agentToolset, customTool, mcpToolset]);

/**
 * An agent's tools in a request: at most one `agent_toolset`, at most one toolset per MCP server, and no two
 * tools with the same name. Names with the prefix `mcp__` are reserved for the tools of MCP servers.
 */
export const toolsInput = z
  .array(tool)
  .max(128)
  .superRefine((tools, context) => {
    const taken = new Set<string>(TOOL_NAMES);
    for (const [index, tool] of tools.entries()) {
      const reject = (field: string, message: string) =>
        context.addIssue({ code: "custom", path: [index, field], message });
      if (tool.type === "mcp_toolset") {
        const server = `server ${tool.mcp_server_name}`;
        if (taken.has(server)) reject("mcp_server_name", "There is already an entry for this server.");
        taken.add(server);
      } else if (tool.type !== "custom") {
        const first = tools.findIndex(({ type }) => type === tool.type);
        if (first < index) reject("type", `There is already an entry of type '${tool.type}'.`);
      } else if (taken.has(tool.name)) reject("name", `There is already a tool named '${tool.name}'.`);
      else if (tool.name.startsWith("mcp__")) reject("name", "Field '{field}' must not begin with 'mcp__'.");
      else taken.add(tool.name);
    }
  });

const resolvedToolset = z.strictObject({
  type: z.literal("agent_toolset_20260401"),
  enabled_tools: z
    .array(z.enum(TOOL_NAMES))
    .meta({ description: "The enabled tools, in the order of the model's tool list." }),
  configs: z
    .array(
      z.strictObject({
        name: z.enum(TOOL_NAMES),
        enabled: z.boolean(),
        permission_policy: permissionPolicy,
        max_result_bytes: maxResultBytes.optional(),
        ...exploreOptions,
      }),
    )
    .optional()
    .meta({ description: "As in the request. Absent if the request had none." }),
});

/** A tool of an agent with all defaults filled in. */
export const resolvedTool = z.discriminatedUnion("type", [resolvedToolset, customTool, resolvedMcpToolset]);
