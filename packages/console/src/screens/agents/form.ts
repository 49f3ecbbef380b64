import type { Agent } from "@berth/sdk";
import { type IdentityFields, identityFields, identityOf } from "../../format/git-identity.ts";
import {
  changedFields,
  newKey,
  type Pair,
  pairsOf,
  patchOf,
  recordOf,
  repeated,
} from "../../format/pairs.ts";
import { FormFault } from "../../ui/use-save.ts";

/**
 * The tools of a coding agent, as the service names them. `usualBytes` is the default size limit of a result
 * that the model sees, for tools that take one. `isExtra` tools are off unless the agent names them.
 */
export const TOOLS = [
  { name: "Bash", about: "Runs commands in the sandbox", usualBytes: 10_240 },
  { name: "Read", about: "Reads files", usualBytes: 24_576 },
  { name: "Write", about: "Writes files" },
  { name: "Edit", about: "Replaces text in files" },
  { name: "Glob", about: "Finds files by name" },
  { name: "Grep", about: "Finds text in files", usualBytes: 12_288 },
  { name: "Explore", about: "Answers a question about the files", usualBytes: 8_192, isExtra: true },
] as const;
const TOOLSET = "agent_toolset_20260401";

export type ToolName = (typeof TOOLS)[number]["name"];
export type Permission = "always_allow" | "always_ask" | "always_deny";
/** The permission of a tool's calls; with `off` the agent does not have the tool. */
export type ToolState = Permission | "off";
export type Effort = NonNullable<Agent["model"]["effort"]>;

export type CustomToolEntry = { key: string; name: string; description: string; schema: string };
export type ServerToolEntry = { key: string; name: string; state: ToolState };
export type ServerEntry = {
  key: string;
  name: string;
  url: string;
  /** The state of the tools that are not listed in `tools`. */
  usual: ToolState;
  tools: ServerToolEntry[];
};
export type SkillEntry = { skillId: string; name: string; version: number | null };

export type AgentForm = IdentityFields & {
  /** The version being edited, as it was when the form was opened; null for a new agent. */
  base: Agent | null;
  /** The version that saving is based on, sent as a precondition; null for a new agent. */
  version: number | null;
  name: string;
  description: string;
  /** The model's id; null for the installation's default. */
  model: string | null;
  effort: Effort | "usual";
  contextWindow: string;
  system: string;
  tools: Record<ToolName, ToolState>;
  /** The limits that differ from the default, in bytes of a result that the model sees. */
  resultBytes: Partial<Record<ToolName, string>>;
  customTools: CustomToolEntry[];
  servers: ServerEntry[];
  skills: SkillEntry[];
  metadata: Pair[];
};

export const EMPTY_FORM: AgentForm = {
  base: null,
  version: null,
  name: "",
  description: "",
  model: null,
  effort: "usual",
  contextWindow: "",
  system: "",
  tools: { ...all("always_allow"), Explore: "off" },
  resultBytes: {},
  customTools: [],
  servers: [],
  skills: [],
  ...identityFields(null),
  metadata: [],
};

export const EMPTY_SCHEMA = JSON.stringify(
  { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
  null,
  2,
);

type Window = { id: string; effective_context_window: number };

/**
 * Returns the form that produces this agent. `models` tells whether its context window was set below the
 * model's own.
 */
export function formOf(agent: Agent, models: readonly Window[]): AgentForm {
  const usual = models.find(({ id }) => id === agent.model.id)?.effective_context_window;
  const window = agent.model.effective_context_window;
  const toolset = agent.tools.find((tool) => tool.type === TOOLSET);
  return {
    base: agent,
    version: agent.version,
    name: agent.name,
    description: agent.description ?? "",
    model: agent.model.id,
    effort: agent.model.effort ?? "usual",
    contextWindow: usual === undefined || usual === window ? "" : String(window),
    system: agent.system,
    tools: statesOf(toolset),
    resultBytes: Object.fromEntries(
      (toolset?.configs ?? []).flatMap(({ name, max_result_bytes: bytes }) =>
        bytes === undefined ? [] : [[name, String(bytes)]],
      ),
    ),
    customTools: agent.tools.flatMap((tool) =>
      tool.type === "custom"
        ? [
            {
              key: newKey(),
              name: tool.name,
              description: tool.description,
              schema: JSON.stringify(tool.input_schema, null, 2),
            },
          ]
        : [],
    ),
    servers: agent.mcp_servers.map((server) => serverOf(server, agent.tools)),
    skills: agent.skills.map(({ skill_id, name, version }) => ({ skillId: skill_id, name, version })),
    ...identityFields(agent.git_identity),
    metadata: pairsOf(agent.metadata),
  };
}

type Toolset = Extract<Agent["tools"][number], { type: "agent_toolset_20260401" }>;

function statesOf(toolset: Toolset | undefined): Record<ToolName, ToolState> {
  const states = all("off");
  for (const name of toolset?.enabled_tools ?? [])
    states[name] =
      toolset?.configs?.find((config) => config.name === name)?.permission_policy.type ?? "always_allow";
  return states;
}

function serverOf({ name, url }: Agent["mcp_servers"][number], tools: Agent["tools"]): ServerEntry {
  const toolset = tools.find((tool) => tool.type === "mcp_toolset" && tool.mcp_server_name === name);
  if (toolset?.type !== "mcp_toolset") return { ...newServer(), name, url };
  return {
    key: newKey(),
    name,
    url,
    usual: stateOf(toolset.default_config),
    tools: toolset.configs.map((config) => ({ key: newKey(), name: config.name, state: stateOf(config) })),
  };
}

function stateOf(config: { enabled: boolean; permission_policy: { type: Permission } }): ToolState {
  return config.enabled ? config.permission_policy.type : "off";
}

export function newServer(): ServerEntry {
  return { key: newKey(), name: "", url: "", usual: "always_ask", tools: [] };
}

/**
 * Returns the whole agent as a request body. @throws FormFault for faults that are found before the request.
 */
export function bodyOf(form: AgentForm) {
  const twice = repeated(form.metadata);
  if (twice !== undefined) throw new FormFault(`metadata ${twice.key}`, "This name is already used.");
  return {
    name: form.name.trim(),
    description: form.description.trim() === "" ? null : form.description.trim(),
    ...(form.model === null ? {} : { model: modelOf(form, form.model) }),
    system: form.system === "" ? null : form.system,
    tools: [...toolsetsOf(form), ...form.customTools.map(customToolOf), ...form.servers.map(mcpToolsetOf)],
    mcp_servers: form.servers.map(({ name, url }) => ({
      type: "url" as const,
      name: name.trim(),
      url: url.trim(),
    })),
    skills: form.skills.map(({ skillId, version }) => ({
      type: "custom" as const,
      skill_id: skillId,
      ...(version === null ? {} : { version }),
    })),
    git_identity: identityOf(form),
    metadata: recordOf(form.metadata),
  };
}

/**
 * Returns the fields that the form changes, compared with the agent as it was when the form was opened.
 * Fields that only a newer version changed are left out, and so keep their value.
 */
export function changeOf(agent: Agent, form: AgentForm, models: readonly Window[]) {
  const before = bodyOf(formOf(form.base ?? agent, models));
  const { metadata, ...rest } = changedFields(before, bodyOf(form));
  return {
    version: form.version ?? agent.version,
    ...rest,
    ...(metadata === undefined ? {} : { metadata: patchOf(before.metadata, metadata) }),
  };
}

function modelOf({ base, effort, contextWindow }: AgentForm, id: string) {
  const window = contextWindow.trim();
  // The form does not show these settings, so they are kept while the model stays the same.
  const { compact_at, compact_when_idle, cache_ttl } = base?.model.id === id ? base.model : {};
  const kept = Object.entries({ compact_at, compact_when_idle, cache_ttl }).filter(
    ([, value]) => value !== undefined,
  );
  if (effort === "usual" && window === "" && kept.length === 0) return id;
  return {
    id,
    ...(effort === "usual" ? {} : { effort }),
    ...(window === "" ? {} : { context_window: Number(window) }),
    ...Object.fromEntries(kept),
  };
}

function toolsetsOf({ base, tools, resultBytes }: AgentForm) {
  const on = TOOLS.map(({ name }) => name).filter((name) => tools[name] !== "off");
  if (on.length === 0) return [];
  const configs = on
    .map((name) => ({
      name,
      ...(tools[name] === "always_allow" ? {} : { permission_policy: { type: tools[name] as Permission } }),
      ...((resultBytes[name] ?? "") === "" ? {} : { max_result_bytes: Number(resultBytes[name]) }),
      ...keptOptions(base, name),
    }))
    .filter((config) => Object.keys(config).length > 1);
  return [
    {
      type: TOOLSET as typeof TOOLSET,
      ...(isUsual(on) ? {} : { enabled_tools: on }),
      ...(configs.length === 0 ? {} : { configs }),
    },
  ];
}

/** Whether these tools are the ones that an agent gets by default. */
function isUsual(on: readonly ToolName[]): boolean {
  const usual = TOOLS.filter((tool) => !("isExtra" in tool));
  return on.length === usual.length && usual.every(({ name }) => on.includes(name));
}

/** Returns the options of a tool that the form does not show, so that saving keeps them. */
function keptOptions(base: Agent | null, tool: ToolName) {
  const toolset = base?.tools.find(({ type }) => type === TOOLSET) as Toolset | undefined;
  const { model, max_requests, max_tokens } = toolset?.configs?.find(({ name }) => name === tool) ?? {};
  return {
    ...(model === undefined ? {} : { model }),
    ...(max_requests === undefined ? {} : { max_requests }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  };
}

function customToolOf({ key, name, description, schema }: CustomToolEntry) {
  return {
    type: "custom" as const,
    name: name.trim(),
    description: description.trim(),
    input_schema: schemaOf(key, schema),
  };
}

function schemaOf(key: string, text: string): { type: "object" } {
  try {
    return JSON.parse(text) as { type: "object" };
  } catch (error) {
    throw new FormFault(`${key} input_schema`, `This is not JSON: ${(error as Error).message}`);
  }
}

function mcpToolsetOf({ name, usual, tools }: ServerEntry) {
  return {
    type: "mcp_toolset" as const,
    mcp_server_name: name.trim(),
    default_config: configOf(usual),
    configs: tools.map((tool) => ({ name: tool.name.trim(), ...configOf(tool.state) })),
  };
}

function configOf(state: ToolState): { enabled: boolean; permission_policy?: { type: Permission } } {
  return state === "off" ? { enabled: false } : { enabled: true, permission_policy: { type: state } };
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string, form: AgentForm): string {
  const [, list = "", at = "", field = ""] = /^(\w+)\[(\d+)\]\.?(.*)$/.exec(param) ?? [];
  const index = Number(at);
  if (list === "tools") return placeOfTool(index, field, form);
  if (list === "mcp_servers") return `${form.servers[index]?.key} ${field}`;
  if (list === "skills") return `skill ${form.skills[index]?.skillId}`;
  const [, name] = /^metadata[.[]"?([^\]"]*)/.exec(param) ?? [];
  const pair = form.metadata.find((one) => one.name.trim() === name);
  if (pair !== undefined) return `metadata ${pair.key}`;
  return param === "model.id" ? "model" : param;
}

/**
 * Returns the form field of a tool. A request lists the toolset first, then custom tools, then those of MCP
 * servers.
 */
function placeOfTool(index: number, field: string, form: AgentForm): string {
  const first = toolsetsOf(form).length;
  const custom = form.customTools[index - first];
  if (index < first) return "tools";
  if (custom !== undefined) return `${custom.key} ${field.replace(/^input_schema.*/, "input_schema")}`;
  const server = form.servers[index - first - form.customTools.length];
  const [, at] = /^configs\[(\d+)\]/.exec(field) ?? [];
  const tool = server?.tools[Number(at ?? -1)];
  if (tool !== undefined) return `${tool.key} name`;
  return `${server?.key} name`;
}

function all(state: ToolState): Record<ToolName, ToolState> {
  return { Bash: state, Read: state, Write: state, Edit: state, Glob: state, Grep: state, Explore: state };
}
