import { type agentRoutes, completeGitIdentity, type Input } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { AgentDefinition } from "./agent-store.ts";
import type { AvailableModels } from "./available-models.ts";
import { resolveMcpToolset } from "./resolve-mcp.ts";
import { resolveToolset } from "./resolve-toolset.ts";

type Body = Input<typeof agentRoutes.create>["body"];
type Change = Input<typeof agentRoutes.update>["body"];
type GivenTool = NonNullable<Body["tools"]>[number];

export interface AgentDeps {
  models: AvailableModels;
  /** Hosts and networks with private addresses for MCP servers; see `BERTH_EGRESS_ALLOW_PRIVATE`. */
  egressAllowPrivate: readonly string[];
}

/**
 * Returns an agent with all defaults filled in, without its skills.
 *
 * @throws errors.invalid when the model is not available, or when none is given and there is no default.
 */
export function resolveAgent(body: Body, models: AvailableModels): Omit<AgentDefinition, "skills"> {
  const choice = body.model ?? models.defaultModel;
  if (choice === null) throw errors.invalid("Field 'model' is required.", "model");
  return {
    name: body.name,
    description: body.description ?? null,
    model: resolveModel(choice, models),
    system: body.system ?? "",
    tools: resolveTools(body.tools ?? [], models),
    mcp_servers: body.mcp_servers ?? [],
    ...identityOf(body.git_identity),
    ...requestLimitOf(body.max_model_requests),
  };
}

/** Returns the definition with the change applied. @throws errors.invalid when the model is not available. */
export function changeAgent(
  definition: AgentDefinition,
  change: Change,
  models: AvailableModels,
): AgentDefinition {
  const { name, description, model, system, tools, mcp_servers, git_identity, max_model_requests, ...rest } =
    definition;
  return {
    ...rest,
    name: change.name ?? name,
    description: change.description === undefined ? description : change.description,
    model: change.model === undefined ? model : resolveModel(change.model, models),
    system: change.system === undefined ? system : (change.system ?? ""),
    tools: change.tools === undefined ? tools : resolveTools(change.tools ?? [], models),
    mcp_servers: change.mcp_servers === undefined ? mcp_servers : (change.mcp_servers ?? []),
    ...identityOf(change.git_identity === undefined ? git_identity : change.git_identity),
    ...requestLimitOf(
      change.max_model_requests === undefined ? max_model_requests : change.max_model_requests,
    ),
  };
}

/** Returns no field for an agent without an identity. */
function identityOf(given: Body["git_identity"]): Pick<AgentDefinition, "git_identity"> {
  return given == null ? {} : { git_identity: completeGitIdentity(given) };
}

/** Returns no field for an agent without a limit. */
function requestLimitOf(given: Body["max_model_requests"]): Pick<AgentDefinition, "max_model_requests"> {
  return given == null ? {} : { max_model_requests: given };
}

function resolveModel(choice: NonNullable<Body["model"]>, models: AvailableModels): AgentDefinition["model"] {
  const given = typeof choice === "string" ? { id: choice } : choice;
  const { id, effort, context_window: window, compact_at: compactAt, compact_when_idle: whenIdle } = given;
  const ttl = given.cache_ttl === "auto" ? null : given.cache_ttl;
  const model = models.get(id, window == null ? {} : { contextWindow: window });
  if (model === null) throw errors.modelNotAvailable(id, typeof choice === "string" ? "model" : "model.id");
  if (ttl === "1h" && model.hasHourCache !== true) throw noHourCache(id);
  if (compactAt != null && compactAt >= model.contextWindow) throw pointBeyondWindow(compactAt, model);
  return {
    id,
    ...(effort == null ? {} : { effort }),
    effective_context_window: model.contextWindow,
    ...(compactAt == null ? {} : { compact_at: compactAt }),
    ...(whenIdle === false ? { compact_when_idle: false as const } : {}),
    ...(ttl == null ? {} : { cache_ttl: ttl }),
  };
}

function noHourCache(id: string): Error {
  return errors.invalid(
    `Field 'model.cache_ttl' must not be '1h': the provider of model '${id}' has no cache that keeps a request for an hour.`,
    "model.cache_ttl",
  );
}

function pointBeyondWindow(given: number, { contextWindow }: { contextWindow: number }): Error {
  return errors.invalid(
    `Field 'model.compact_at' must be less than the model's context window of ${contextWindow} tokens, but is ${given}.`,
    "model.compact_at",
  );
}

function resolveTools(tools: readonly GivenTool[], models: AvailableModels): AgentDefinition["tools"] {
  return tools.map((tool, index) => {
    if (tool.type === "mcp_toolset") return resolveMcpToolset(tool);
    return tool.type === "custom" ? tool : resolveToolset(tool, `tools[${index}]`, models);
  });
}
