import type { AnyJson } from "../../acceptance/harness/api.ts";
import { makeAgent, waitForTurn } from "../../acceptance/harness/fixtures.ts";
import type { Player, Usage } from "./provider.ts";
import type { Call } from "./seen.ts";
import { modelId, type Stage } from "./stage.ts";
import type { Form, Task } from "./task.ts";
import { StagedWorld } from "./world.ts";

/** A shell function for `! command`, which does not end a script under `-e`. */
const NOT = 'not() { if "$@"; then return 1; fi; }';
const LONGEST_RESULT = 102_400;
/** A token limit below the window of 400,000 that no task reaches. */
const NEVER = 390_000;

/** The outcome of a task. */
export interface Played {
  passed: boolean;
  /** The output of the hidden test. */
  judgement: string;
  /** The agent's calls, without those of the judgement. */
  calls: readonly Call[];
  compactions: number;
  usages: readonly Usage[];
  /** The log of the calls and their results, for failure messages. */
  story: string;
}

/** Plays a task in its own session, and lets its hidden test judge the result in the sandbox. */
export async function play(stage: Stage, task: Task, form: Form): Promise<Played> {
  const { api, provider } = stage;
  const player: Player = {
    ...{ reader: () => "", actsOnNotes: form !== "unaided", calls: [], summaries: 0 },
    ...{ faults: [], usages: [], silences: 0, forgotten: [] },
  };
  provider.add(modelId(task, form), player);
  const id = await openSession(stage, task, form);
  const world = new StagedWorld(stage, task, form, id, player);
  const events: AnyJson[] = [];
  for (const { says, reader, before, during } of task.turns) {
    await before?.(world);
    player.reader = reader;
    const content = typeof says === "string" ? [{ type: "text", text: says }] : says;
    const sent = await api.ok("POST", `/sessions/${id}/events`, {
      events: [{ type: "user.message", content }],
    });
    const [turn] = await Promise.all([waitForTurn(api, id, sent.data[0].id), during?.(world)]);
    events.push(...turn);
  }
  const [calls, usages] = [[...player.calls], [...player.usages]];
  const { passed, judgement } = await judge(stage, task, form, id, player);
  const all = (
    await api.ok("GET", `/sessions/${id}/events?order=desc&limit=100&types[]=agent.context_compacted`)
  ).data;
  return { passed, judgement, calls, usages, compactions: all.length, story: storyOf(events, player) };
}

async function openSession(stage: Stage, task: Task, form: Form): Promise<string> {
  const { api, host, environment } = stage;
  await host.createRepository({ org: form, name: task.name, private: true, files: task.files });
  const whole = form === "whole";
  const configs = ["Bash", "Read", "Grep"].map((name) => ({ name, max_result_bytes: LONGEST_RESULT }));
  const compactAt = whole ? NEVER : task.compactAt;
  const agent = await makeAgent(api, {
    model: {
      id: `tasks/${modelId(task, form)}`,
      ...(compactAt !== undefined && { compact_at: compactAt }),
      ...(whole && { compact_when_idle: false }),
    },
    tools: [{ type: "agent_toolset_20260401", ...(whole && { configs }) }],
  });
  const authorization_token = host.createToken({ user: "robot", permissions: "write" });
  const { id } = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources: [
      { type: "hosted_repository", url: `${host.url}/${form}/${task.name}`, authorization_token },
      ...(task.memories === undefined ? [] : [await memoryStore(stage, task.memories)]),
    ],
  });
  return id;
}

async function memoryStore({ api }: Stage, memories: Readonly<Record<string, string>>): Promise<AnyJson> {
  const { id } = await api.ok("POST", "/memory_stores", { name: "Notes" });
  for (const [path, content] of Object.entries(memories))
    await api.ok("POST", `/memory_stores/${id}/memories`, { path, content });
  return { type: "memory_store", memory_store_id: id };
}

async function judge(stage: Stage, task: Task, form: Form, id: string, player: Player) {
  const place =
    task.judged === "pushed"
      ? `rm -rf /tmp/pushed && git clone --quiet ${stage.host.url}/${form}/${task.name} /tmp/pushed && cd /tmp/pushed`
      : `cd /data/${task.name}`;
  const command = `(${place} && bash -eu <<'HIDDEN'\n${NOT}\n${task.hidden}\nHIDDEN\n)`;
  player.reader = (seen) => seen.bash(command);
  const message = { type: "user.message", content: [{ type: "text", text: "Run this test." }] };
  const sent = await stage.api.ok("POST", `/sessions/${id}/events`, { events: [message] });
  const events = await waitForTurn(stage.api, id, sent.data[0].id);
  const result = events.findLast(({ type }) => type === "agent.tool_result");
  return { passed: result?.is_error === false, judgement: textOf(result) };
}

function textOf(result: AnyJson): string {
  return (result?.content ?? []).map(({ text }: AnyJson) => text ?? "").join("\n");
}

function storyOf(events: readonly AnyJson[], { faults }: Player): string {
  const short = (text: string) => (text.length > 400 ? `${text.slice(0, 200)} … ${text.slice(-200)}` : text);
  const lines = events.flatMap((event) => {
    if (event.type === "agent.tool_use") return [`> ${event.name} ${short(JSON.stringify(event.input))}`];
    if (event.type === "agent.tool_result") return [short(textOf(event))];
    if (event.type === "agent.context_compacted") return ["--- compacted"];
    return event.type === "agent.message" || event.type === "session.error" ? [JSON.stringify(event)] : [];
  });
  return [...lines, ...faults].join("\n");
}
