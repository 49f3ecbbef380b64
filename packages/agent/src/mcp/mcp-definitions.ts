import { createHash } from "node:crypto";
import { isObject } from "../tool-schemas/json-schema.ts";
import { normalizeToolSchema } from "../tool-schemas/normalize-schema.ts";
import type { OriginalNames } from "../tool-schemas/property-names.ts";
import type { ToolList } from "./list-tools.ts";

/** A tool of an MCP server, stored when it was discovered. A session's model always sees the same bytes. */
export interface McpToolDefinition {
  /** The model's name for the tool. */
  name: string;
  /** The server's name for the tool. */
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** The server's name of each renamed property, by its name in `inputSchema`. Absent without any. */
  originals?: OriginalNames;
  /** Set when this is not a tool of the server, but reads the server's resources. */
  reads?: "resource";
}

/** The tools of a server that a session uses. */
export interface McpDefinitions {
  tools: McpToolDefinition[];
  /** Enabled tools that are not used: the start of each name, and the reason as the end of a sentence. */
  leftOut: { tool: string; reason: string }[];
  /** Whether the server's list was too long to be read to its end. */
  truncated: boolean;
}

/** Maximum characters of a tool's name, which is stored with each call. The protocol recommends 128. */
const MAX_SERVER_TOOL_NAME = 256;
const MAX_TOOLS = 256;
/** Maximum characters of one definition, and of all definitions of a server. */
const MAX_DEFINITION_LENGTH = 100_000;
const MAX_DEFINITIONS_LENGTH = 500_000;

/**
 * Selects the tools of a server, in the order of its list. A tool that cannot be used does not affect the
 * others. The work is linear in the length of the list.
 */
export function mcpDefinitions(
  server: string,
  { tools: offered, truncated, hasResources }: ToolList,
  isEnabled: (tool: string) => boolean = () => true,
): McpDefinitions {
  const chosen = new ChosenTools();
  const leftOut: McpDefinitions["leftOut"] = [];
  for (const [index, tool] of offered.entries()) {
    if (!isObject(tool) || typeof tool.name !== "string") {
      leftOut.push({ tool: `number ${index + 1} of its list`, reason: "it has no name" });
    } else if (isEnabled(tool.name) && !needsTask(tool)) {
      const reason = chosen.add(() => definition(server, tool.name as string, tool));
      if (reason !== null) leftOut.push({ tool: shown(tool.name), reason });
    }
  }
  const tools = chosen.tools();
  const reader = resourceReader(server);
  const isFree = !tools.some(({ name }) => name === reader.name);
  if (hasResources === true && isFree && isEnabled(reader.tool)) tools.push(reader);
  return { tools, leftOut, truncated };
}

/** Creates a tool that reads resources, to which results refer and which nothing else could read. */
function resourceReader(server: string): McpToolDefinition {
  return {
    name: mcpToolName(server, "read_resource"),
    tool: "read_resource",
    description: `Reads a resource of the MCP server '${server}' that a result of one of its tools has named.`,
    inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    reads: "resource",
  };
}

/** Collects the tools of a server within its limits. */
class ChosenTools {
  readonly #tools = new Map<string, McpToolDefinition>();
  #length = 0;

  tools(): McpToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** Adds a tool. Returns why it is left out, or null when it was added. */
  add(define: () => McpToolDefinition | string): string | null {
    if (this.#tools.size >= MAX_TOOLS) return `more than ${MAX_TOOLS} tools`;
    const made = define();
    if (typeof made === "string") return made;
    if (this.#tools.has(made.name)) return "its name occurs twice";
    const { length } = JSON.stringify(made);
    if (length > MAX_DEFINITION_LENGTH)
      return `its definition has more than ${MAX_DEFINITION_LENGTH} characters`;
    if (this.#length + length > MAX_DEFINITIONS_LENGTH)
      return `the definitions have more than ${MAX_DEFINITIONS_LENGTH} characters`;
    this.#tools.set(made.name, made);
    this.#length += length;
    return null;
  }
}

/** Returns the definition, or the reason why the tool cannot be used. */
function definition(
  server: string,
  name: string,
  { description, title, annotations, inputSchema }: Record<string, unknown>,
): McpToolDefinition | string {
  if (!isName(name)) return "its name has characters that are not text, or is too long";
  const normalized = normalizeToolSchema(inputSchema);
  if ("reason" in normalized) return normalized.reason;
  const { schema, originals, conditions } = normalized;
  const titled = [description, title, isObject(annotations) ? annotations.title : undefined];
  const described = titled.find((text) => typeof text === "string") ?? "";
  const renamed = Object.keys(originals).length > 0;
  return {
    name: mcpToolName(server, name),
    tool: name,
    description: conditions === null ? described : [described, conditions].filter(Boolean).join("\n\n"),
    inputSchema: schema,
    ...(renamed && { originals }),
  };
}

/** Returns whether the tool requires tasks, which this client does not support. */
function needsTask({ execution }: Record<string, unknown>): boolean {
  return isObject(execution) && execution.taskSupport === "required";
}

function isName(name: string): boolean {
  return name !== "" && name.length <= MAX_SERVER_TOOL_NAME && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name);
}

function shown(name: string): string {
  return `'${name.slice(0, 100).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\u{FFFD}")}'`;
}

/** Maximum characters of a tool name that every provider accepts. */
const MAX_TOOL_NAME = 64;

/**
 * Returns the model's name for a tool of an MCP server: `mcp__<server>__<tool>`. If that is too long,
 * ambiguous, or has characters that providers reject, it is shortened and ends with a digest of both names.
 * The name is deterministic.
 */
function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const clear = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/.test(server) && /^[A-Za-z0-9_-]+$/.test(tool);
  if (clear && plain.length <= MAX_TOOL_NAME) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_TOOL_NAME - 1 - digest.length)}_${digest}`;
}

/** Maximum names in the sentence about tools that are left out. */
const MAX_NAMED = 10;

/** Returns a sentence for the log about the tools that are not used; null when all are. */
export function leftOutSentence(server: string, { leftOut, truncated }: McpDefinitions): string | null {
  if (leftOut.length === 0 && !truncated) return null;
  const byReason = Map.groupBy(leftOut.slice(0, MAX_NAMED), ({ reason }) => reason);
  const named = [...byReason].map(
    ([reason, tools]) => `${tools.map(({ tool }) => tool).join(", ")} (${reason})`,
  );
  if (leftOut.length > MAX_NAMED) named.push(`${leftOut.length - MAX_NAMED} more`);
  if (truncated) named.push("what its list holds further on, since it is too long");
  return `Of the tools of the MCP server '${server}', these are left out: ${named.join("; ")}.`;
}
