import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { SessionEvent } from "@berth/sdk";
import { repository } from "./session.ts";

interface Call {
  name: string;
  body: unknown;
  headers: IncomingMessage["headers"];
  query: URLSearchParams;
}

/**
 * Starts a fake service over HTTP, with one session. The test passes its log and can `append` to it. Only
 * endpoints that the commands call exist.
 */
export async function startService(t: TestContext, log: SessionEvent[]) {
  const calls: Call[] = [];
  const agents: object[] = [];
  const environments: object[] = [];
  const followers = new Set<ServerResponse>();
  const append = (...events: SessionEvent[]) => {
    log.push(...events);
    for (const follower of followers) follower.write(events.map(frame).join(""));
  };
  const answers: Record<string, (call: Call, response: ServerResponse) => unknown> = {
    "GET /agents": () => page(agents),
    "POST /agents": ({ body }) =>
      made(agents, {
        id: "agent_1",
        ...(body as object),
        model: { id: Reflect.get(body as object, "model") },
      }),
    "GET /environments": () => page(environments),
    "POST /environments": ({ body }) => made(environments, { id: "env_1", ...(body as object) }),
    "POST /sessions": ({ body }) => ({ ...session, title: Reflect.get(body as object, "title") }),
    "GET /sessions": () =>
      page([session, { ...session, id: "sess_2", title: "Second\u001b[31m" }, { ...session, id: "sess_3" }]),
    "GET /sessions/sess_1": () => session,
    "POST /sessions/sess_1/archive": () => session,
    "POST /sessions/sess_1/events": ({ body }) => {
      const { events } = body as { events: SessionEvent[] };
      return { data: events.map((event, i) => ({ ...event, id: `evt_sent_${i}` })) };
    },
    "GET /sessions/sess_1/events": () => page(log),
    "GET /sessions/sess_1/events/stream": (_, response) => {
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(`: hello\n\n${log.map(frame).join("")}`);
      followers.add(response.on("close", () => followers.delete(response)));
      return undefined;
    },
  };
  const waiting = new Map<string, (call: Call) => void>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const url = new URL(request.url ?? "/", "http://service");
    const name = `${request.method} ${url.pathname.replace("/api/v1/cloud", "")}`;
    const call = {
      name,
      body: body === "" ? null : JSON.parse(body),
      headers: request.headers,
      query: url.searchParams,
    };
    calls.push(call);
    waiting.get(name)?.(call);
    if (request.headers.authorization !== "Bearer berth_pat_good")
      return refuse(response, 401, "authentication_error");
    const answer = answers[name];
    if (answer === undefined) return refuse(response, 404, "not_found_error", "session_id");
    const value = answer(call, response);
    if (value !== undefined)
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    append,
    /** Resolves with the next call of that name. */
    called: (name: string) => new Promise<Call>((resolve) => waiting.set(name, resolve)),
  };
}

const session = {
  id: "sess_1",
  type: "session",
  agent: {
    id: "agent_1",
    name: "Helper",
    version: 1,
    model: { id: "rehearsal/steps", effective_context_window: 100_000 },
  },
  environment_id: "env_1",
  status: "idle",
  title: "First",
  resources: [repository],
  set_aside: null,
  unseen: false,
  last_turn: { outcome: "end_turn", ended_at: "2026-11-21T10:00:30.000Z" },
  stats: { active_seconds: 19, duration_seconds: 30 },
  usage: {
    input_tokens: 1500,
    output_tokens: 320,
    cache_read_input_tokens: 1200,
    cache_creation_input_tokens: 0,
  },
  cached_input_share: 0.4444,
  list_cost_usd: 0.0123,
  compaction: {
    count: 2,
    avoided_input_tokens: 90_000,
    rewritten_input_tokens: 4_000,
    summary_usage: {
      input_tokens: 10,
      output_tokens: 200,
      cache_read_input_tokens: 800,
      cache_creation_input_tokens: 0,
    },
    saved_input_tokens: 3_310,
    saved_list_cost_usd: 0.00993,
  },
  visibility: "private",
  archived_at: null,
  created_at: "2026-11-21T10:00:00.000Z",
  updated_at: "2026-11-21T10:00:30.000Z",
};

function page(data: object[]) {
  return { data, next_page: null, first_id: null, last_id: null, has_more: false };
}

function made<Item extends object>(list: object[], item: Item): Item {
  list.push(item);
  return item;
}

function frame(event: SessionEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function refuse(response: ServerResponse, status: number, type: string, param?: string): void {
  const error = { type, message: "It was refused.", ...(param === undefined ? {} : { param }) };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", request_id: "req_77", error }));
}
