import type { SessionEvent } from "@berth/sdk";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { type Form, requestOf } from "./form.ts";

/** The state of a repository of the new session. */
export type CloneState =
  | { state: "cloning"; text: string }
  | { state: "ready" }
  | { state: "failed"; message: string };

export type Started = {
  sessionId: string;
  /** The session's resource ids, by the key of the repository in the form. */
  resources: Map<string, string>;
};

/** Creates the session, and first the agent if the form describes one. Does not send the task. */
export async function createSession(form: Form): Promise<Started> {
  const agentId = form.agentMode === "existing" ? (form.agentId ?? "") : await createAgent(form);
  const { body, repositories } = requestOf(form, agentId);
  const session = await berth.sessions.create(body);
  void queryClient.invalidateQueries({ queryKey: ["sessions"] });
  const ids = session.resources.filter((one) => "url" in one).map(({ id }) => id);
  return {
    sessionId: session.id,
    resources: new Map(repositories.map(({ key }, index) => [key, ids[index] ?? ""])),
  };
}

async function createAgent({ model, system, skillIds }: Form): Promise<string> {
  const agent = await berth.agents.create({
    name: model?.split("/").at(-1) ?? "Agent",
    ...(model === null ? {} : { model }),
    ...(system.trim() === "" ? {} : { system }),
    tools: [{ type: "agent_toolset_20260401" }],
    skills: skillIds.map((skill_id) => ({ type: "custom" as const, skill_id })),
  });
  void queryClient.invalidateQueries({ queryKey: ["agents"] });
  return agent.id;
}

/** Follows the clones of a session until all are ready or the signal aborts. */
export async function followClones(
  { sessionId, resources }: Started,
  onChange: (states: ReadonlyMap<string, CloneState>) => void,
  signal: AbortSignal,
): Promise<void> {
  const keys = new Map([...resources].map(([key, id]) => [id, key]));
  const states = new Map<string, CloneState>(
    [...resources.keys()].map((key) => [key, { state: "cloning", text: "waiting" }]),
  );
  for await (const event of berth.sessions.events.stream(sessionId, { from: "start" }, { signal })) {
    const change = cloneState(event);
    const key = keys.get(change?.resourceId ?? "");
    if (change === null || key === undefined) continue;
    states.set(key, change.state);
    onChange(new Map(states));
    if ([...states.values()].every(({ state }) => state === "ready")) return;
  }
}

function cloneState(event: SessionEvent): { resourceId: string; state: CloneState } | null {
  if (event.type === "session.resource_ready")
    return { resourceId: event.resource_id, state: { state: "ready" } };
  if (event.type === "session.resource_progress") {
    const percent = event.percent === null ? "" : ` ${Math.round(event.percent)} %`;
    return {
      resourceId: event.resource_id,
      state: { state: "cloning", text: `${event.phase.replaceAll("_", " ")}${percent}` },
    };
  }
  if (
    event.type !== "session.error" ||
    event.error.resource_id === undefined ||
    event.error.retry_status.type === "retrying"
  )
    return null;
  return { resourceId: event.error.resource_id, state: { state: "failed", message: event.error.message } };
}

/** Replaces a repository's token or password, and thereby retries its clone. */
export async function replaceSecret(
  sessionId: string,
  resourceId: string,
  kind: "hosted" | "git",
  secret: string,
): Promise<void> {
  await berth.sessions.resources.rotate(
    sessionId,
    resourceId,
    kind === "hosted" ? { authorization_token: secret } : { password: secret },
  );
}

export async function sendTask(sessionId: string, task: string): Promise<void> {
  if (task.trim() === "") return;
  await berth.sessions.events.send(sessionId, {
    events: [{ type: "user.message", content: [{ type: "text", text: task.trim() }] }],
  });
}
