/** A call of the model, independent of any agent's tools. Paths are relative to the repository. */
export type Call =
  | { do: "read"; path: string }
  | { do: "run"; command: string }
  | { do: "edit"; path: string; before: string; after: string }
  | { do: "search"; pattern: string }
  /** Asks a nested loop, which takes these steps. */
  | { do: "ask"; steps: readonly Step[] };

export type Step = readonly Call[];

/** A tool that a request declares. */
export interface Tool {
  name: string;
  /** The names of its fields; null if its input is free text. */
  fields: string[] | null;
  required: string[];
}

export interface ToolCall {
  id: string;
  name: string;
  /** The input; a text for a tool with free input. */
  input: Record<string, unknown> | string;
}

export function toolOf(
  name: string,
  schema: { properties?: object; required?: string[] } | null | undefined,
): Tool {
  const fields = schema === null ? null : Object.keys(schema?.properties ?? {});
  return { name, fields, required: schema?.required ?? [] };
}

/**
 * Translates a call to the agent's own tools. An agent without a tool to read, search or edit uses its shell.
 *
 * @param root the absolute path of the repository.
 * @throws if it has no shell either.
 */
export function translate(call: Call, tools: readonly Tool[], root: string): Omit<ToolCall, "id"> {
  const tool = (name: string) => tools.find((one) => one.name.toLowerCase() === name);
  const read = tool("read");
  const grep = tool("grep");
  const edit = tool("edit");
  const explore = tool("explore");
  if (call.do === "ask" && explore !== undefined)
    return { name: explore.name, input: { question: questionOf(call.steps, root) } };
  if (call.do === "read" && read !== undefined)
    return { name: read.name, input: { [field(read, PATHS)]: `${root}/${call.path}` } };
  if (call.do === "search" && grep !== undefined) return search(grep, call.pattern, root);
  if (call.do === "edit" && edit !== undefined) return replace(edit, call, root);
  if (call.do === "ask") throw new Error("no tool answers questions");
  return shell(tools, commandOf(call, root));
}

const PATHS = ["file_path", "filePath", "path"];

/** Returns the question of an agent that knows what it looks for. */
function questionOf(steps: readonly Step[], root: string): string {
  const of = steps.flat().map((call) => (call.do === "search" ? `where ${call.pattern} is used` : ""));
  const sought = of.filter((one) => one !== "").join(", and ") || "what the next modules do";
  return `In ${root}/src: find ${sought}. Give for each module that you look at its path, the lines with its retries and limits, and whether it differs in style from the others. The checks of the repository fail, and this is to find out why.`;
}

function commandOf(call: Exclude<Call, { do: "ask" }>, root: string): string {
  if (call.do === "run") return call.command.replaceAll("{root}", root);
  if (call.do === "read") return `cat ${call.path}`;
  if (call.do === "search") return `grep -rnE '${call.pattern}' src`;
  const quoted = (text: string) => text.replaceAll(/[\\.*^$/&[\]]/g, "\\$&");
  return `sed -i 's/^${quoted(call.before)}$/${quoted(call.after)}/' ${call.path}`;
}

function shell(tools: readonly Tool[], command: string): Omit<ToolCall, "id"> {
  const tool = tools.find(({ name }) => /^(bash|shell|exec_command|shell_command)$/i.test(name));
  if (tool === undefined)
    throw new Error(`no tool runs commands: ${tools.map(({ name }) => name).join(", ")}`);
  const description = tool.required.includes("description") ? { description: "Runs the next command" } : {};
  return { name: tool.name, input: { [field(tool, ["command", "cmd"])]: command, ...description } };
}

function search(tool: Tool, pattern: string, root: string): Omit<ToolCall, "id"> {
  const mode = tool.fields?.includes("output_mode") ? { output_mode: "content" } : {};
  return { name: tool.name, input: { pattern, path: `${root}/src`, ...mode } };
}

function replace(tool: Tool, call: Call & { do: "edit" }, root: string): Omit<ToolCall, "id"> {
  const path = { [field(tool, PATHS)]: `${root}/${call.path}` };
  if (tool.fields?.includes("edits"))
    return { name: tool.name, input: { ...path, edits: [{ oldText: call.before, newText: call.after }] } };
  const before = field(tool, ["old_string", "oldString", "oldText"]);
  const after = field(tool, ["new_string", "newString", "newText"]);
  return { name: tool.name, input: { ...path, [before]: call.before, [after]: call.after } };
}

function field(tool: Tool, names: readonly string[]): string {
  const found = names.find((name) => tool.fields?.includes(name));
  if (found === undefined) throw new Error(`${tool.name} has none of the fields ${names.join(", ")}`);
  return found;
}
