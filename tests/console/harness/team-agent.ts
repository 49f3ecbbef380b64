import type { ServerResponse } from "node:http";
import type { AnyJson } from "../../acceptance/harness/api.ts";
import { type ChatEndpoint, startChatEndpoint } from "../../acceptance/harness/chat-endpoint.ts";

type Step = { tool: string; input: AnyJson } | { say: string };

/**
 * Starts a model that works on a repository as people ask it to, so that they write to it in words: it changes
 * the greeting, does what a comment wishes and pushes, and opens a pull request.
 */
export async function startTeamAgent(): Promise<ChatEndpoint> {
  const endpoint = await startChatEndpoint();
  endpoint.respond = ({ messages }, response) => {
    const asked = messages.findLastIndex(({ role }: AnyJson) => role === "user");
    const given = messages.slice(asked).filter(({ role }: AnyJson) => role === "assistant").length;
    const { content } = messages[asked];
    const text = typeof content === "string" ? content : JSON.stringify(content);
    respond(response, stepsFor(text)[given] ?? { say: "There is nothing to do." }, messages.length);
  };
  return endpoint;
}

/** Returns what the model does about a message, one step for each of its requests. */
function stepsFor(text: string): readonly Step[] {
  if (text.includes("Open a pull request"))
    return [bash("Opens the pull request", OPEN), { say: "It is open." }];
  if (text.includes("Comments on lines"))
    return [
      edit('"Good day, "', '"Good evening, "'),
      bash("Commits and pushes", PUSH),
      { say: "It says *Good evening* now, and the branch is pushed." },
    ];
  return [
    { tool: "Read", input: { file_path: FILE } },
    edit('"Hello, "', '"Good day, "'),
    bash("Runs the tests", "cd /data/widget && node --version > /dev/null && echo 3 tests passed"),
    { say: "The greeting is polite now." },
  ];
}

const FILE = "/data/widget/greet.js";
const PUSH =
  "cd /data/widget && git checkout -q -b polite && git commit -qam 'feat: greet politely' && git push -q origin polite && echo pushed";
const OPEN = `cd /data/widget && url=$(git remote get-url origin) && host=$(echo "$url" | cut -d/ -f3 | sed 's/.*@//') && name=$(echo "$url" | cut -d/ -f4,5 | sed 's/\\.git$//') && curl -sSf -H "Authorization: Bearer $GH_TOKEN" "https://$host/api/v3/repos/$name/pulls" -d '{"title": "Greet politely", "head": "polite", "base": "main"}' > /dev/null && echo opened`;

const bash = (description: string, command: string): Step => ({
  tool: "Bash",
  input: { command, description },
});

const edit = (old_string: string, new_string: string): Step => ({
  tool: "Edit",
  input: { file_path: FILE, old_string, new_string },
});

function respond(response: ServerResponse, step: Step, at: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null) => {
    const choices = [{ index: 0, delta, finish_reason }];
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  if ("say" in step) send({ role: "assistant", content: step.say }, null);
  else {
    const call = { name: step.tool, arguments: JSON.stringify(step.input) };
    send(
      { role: "assistant", tool_calls: [{ index: 0, id: `call_${at}`, type: "function", function: call }] },
      null,
    );
  }
  send({}, "say" in step ? "stop" : "tool_calls");
  response.end("data: [DONE]\n\n");
}
