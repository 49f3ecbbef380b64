import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { AnyJson } from "../../acceptance/harness/api.ts";

/** A response of a model: text, tool calls by name and input, or both. */
export interface Answer {
  say?: string;
  calls?: readonly (readonly [tool: string, input: object])[];
}

/** The responses to each task, by words that only this task contains. */
export type Script = ReadonlyMap<string, readonly Answer[]>;

/** Starts a Chat Completions provider on loopback that gives the responses of a script in order. */
export async function startScriptedModel(script: Script) {
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as AnyJson;
    const task = JSON.stringify(messages);
    const answers = [...script].find(([words]) => task.includes(words))?.[1] ?? [];
    const given = messages.filter(({ role }: AnyJson) => role === "assistant").length;
    send(response, answers[given] ?? { say: "Done." }, Math.ceil(task.length / 4));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => server.close().closeAllConnections() };
}

function send(response: ServerResponse, { say, calls = [] }: Answer, inputTokens: number): void {
  response.setHeader("content-type", "text/event-stream");
  const tool_calls = calls.map(([name, input], index) => ({
    index,
    id: `call_${inputTokens}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const delta = { role: "assistant", content: say ?? null, ...(calls.length === 0 ? {} : { tool_calls }) };
  const outputTokens = Math.ceil(JSON.stringify(delta).length / 4);
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  for (const part of [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] },
    { ...chunk, choices: [], usage },
  ])
    response.write(`data: ${JSON.stringify(part)}\n\n`);
  response.end("data: [DONE]\n\n");
}
