import type { AnyJson, Api, Json } from "./api.ts";
import { readEventsUntil } from "./stream.ts";

let environmentCount = 0;

/** Creates an agent with the rehearsal model; `fields` override the defaults. */
export function makeAgent(api: Api, fields: Record<string, Json> = {}): Promise<AnyJson> {
  const body = {
    name: "Tester",
    model: "rehearsal/steps",
    tools: [{ type: "agent_toolset_20260401" }],
    ...fields,
  };
  return api.ok("POST", "/agents", body);
}

export function makeEnvironment(api: Api, fields: Record<string, Json> = {}): Promise<AnyJson> {
  environmentCount += 1;
  return api.ok("POST", "/environments", { name: `env ${environmentCount}`, ...fields });
}

/** Creates a session with a new agent and a new environment. */
export async function makeSession(api: Api, fields: Record<string, Json> = {}): Promise<AnyJson> {
  const agent = await makeAgent(api);
  const environment = await makeEnvironment(api);
  return api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, ...fields });
}

export async function makeFile(
  api: Api,
  content: string | Uint8Array,
  name = "notes.txt",
  metadata?: Json,
  type = "text/plain",
): Promise<AnyJson> {
  const form = new FormData();
  if (metadata !== undefined) form.set("metadata", JSON.stringify(metadata));
  form.set(
    "file",
    new Blob([typeof content === "string" ? content : new Uint8Array(content)], { type }),
    name,
  );
  const response = await api.call("POST", "/files", undefined, { raw: form });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body;
}

/**
 * Uploads a skill of two files whose script prints its name; with `path`, another version of an existing
 * skill.
 */
export async function makeSkill(
  api: Api,
  name: string,
  options: { path?: string; metadata?: Json; description?: string } = {},
): Promise<AnyJson> {
  const form = skillForm(name, options.description);
  if (options.metadata !== undefined) form.set("metadata", JSON.stringify(options.metadata));
  const response = await api.call("POST", options.path ?? "/skills", undefined, { raw: form });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body;
}

/** Returns the upload of a skill whose script prints `I am <name>`. */
export function skillForm(name: string, description = "Says its name."): FormData {
  const files = {
    "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\nRun scripts/run.sh.\n`,
    "scripts/run.sh": `#!/bin/sh\necho "I am ${name}"\n`,
  };
  const form = new FormData();
  for (const [path, text] of Object.entries(files))
    form.append("files[]", new Blob([text]), `${name}/${path}`);
  return form;
}

/** Returns a message with the steps that the rehearsal model follows. */
export function steps(...list: Json[]): Json {
  return { type: "user.message", content: [{ type: "text", text: JSON.stringify({ steps: list }) }] };
}

/** Returns a step of the rehearsal model that runs a command. */
export function bash(command: string): Json {
  return { tool: "Bash", input: { command } };
}

/** Sends a message, waits for the end of its turn, and returns the events from the message on. */
export async function runTurn(api: Api, session: string, ...list: Json[]): Promise<AnyJson[]> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...list)] });
  return waitForTurn(api, session, sent.data[0].id);
}

/**
 * Returns the events from the input with this id to the end of the turn that processed it. If another turn
 * was ending when the input was sent, the events include the end of that turn.
 */
export async function waitForTurn(api: Api, session: string, id: string): Promise<AnyJson[]> {
  let isSent = false;
  let isTaken = false;
  const events = await readEventsUntil(api, session, async (event) => {
    isTaken ||=
      isSent &&
      (event.type === "session.status_running" ||
        (event.type === "span.model_request_start" && event.parent_tool_use_id === undefined));
    isSent ||= event.id === id;
    if (!isSent || event.type !== "session.status_idle") return false;
    return isTaken || (await endedTurnTook(api, session, id));
  });
  return events.slice(events.findIndex((event) => event.id === id));
}

/**
 * Whether an input that arrived in the newest turn, after its last model request, was processed before the
 * turn ended.
 */
async function endedTurnTook(api: Api, session: string, id: string): Promise<boolean> {
  const { data } = await api.ok("GET", `/sessions/${session}/events?order=desc&limit=100`);
  const end = data.findIndex((event: AnyJson) => event.type === "session.status_running" || event.id === id);
  return data[end]?.id === id && data[end].processed_at !== null;
}

/** Returns the texts of the tool results among events, in order. */
export function toolResults(events: AnyJson[]): string[] {
  return events
    .filter(({ type }) => type === "agent.tool_result")
    .map(({ content }) => content.map((block: AnyJson) => block.text ?? "").join(""));
}
