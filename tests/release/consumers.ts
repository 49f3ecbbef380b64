/** A program that uses the client in Node.js: a session to the end of its turn, an error, a file. */
export const PROGRAM = `
import { Berth, NotFoundError } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { examples } from "@berth/sdk/examples";

const client = new Berth({ baseURL: process.env.BERTH_URL, token: process.env.BERTH_TOKEN });
const agent = await client.agents.create({ name: "Helper", ...examples["agents.create"].body });
const environment = await client.environments.create({ name: process.version });
const text = JSON.stringify({ steps: [{ say: "It works." }] });
const session = await client.sessions.create({
  agent: agent.id,
  environment_id: environment.id,
  initial_events: [{ type: "user.message", content: [{ type: "text", text }] }],
});
for await (const event of client.sessions.events.untilIdle(session.id, { from: "start" }))
  if (event.type === "agent.message") console.log(event.content.map((block) => block.text).join(""));

const call = { operation: operations.sessions.get, params: { session_id: "sess_gone" } };
await client.call(call).catch((error) => {
  if (error instanceof NotFoundError) console.log(error.type, error.status);
});
const file = await client.files.upload({ name: "a.txt", content: "abc" });
console.log((await (await client.files.content(file.id)).text()).length, "bytes");
`;

/** A program that prints the paths of all functions of a client, such as `sessions.events.list`. */
export const METHODS = `
import { Berth } from "@berth/sdk";
const names = (value, path) => {
  if (typeof value === "function") return [path.join(".")];
  const keys = [value, Object.getPrototypeOf(value)].flatMap((own) => own === Object.prototype ? [] : Object.getOwnPropertyNames(own));
  return keys.filter((key) => key !== "constructor").flatMap((key) => names(value[key], [...path, key]));
};
console.log(names(new Berth({ baseURL: "https://berth.example.com", token: null }), []).sort().join("\\n"));
`;

/** A program that is only type-checked. */
export const TYPED = `
import { Berth, type EventOf, type Page, type Session } from "@berth/sdk";
import { examples } from "@berth/sdk/examples";
import { operations } from "@berth/sdk/operations";

const client = new Berth({ baseURL: "https://berth.example.com", token: "t" });
const session: Session = await client.sessions.create({
  agent: "agent_1",
  environment_id: "env_1",
  resources: [{ type: "hosted_repository", url: "https://git.example.com/o/r", checkout: { type: "branch", name: "b" } }],
});
const status: "idle" | "running" | "rescheduling" | "terminated" = session.status;
const page: Page<Session> = await client.sessions.list({ limit: 2, created_at: { gte: new Date() } });
const used: string[] = [status, operations.sessions.get.path, typeof examples, page.next_page ?? ""];
for await (const event of client.sessions.events.stream(session.id, { from: "start" })) {
  if (event.type === "agent.message") used.push(...event.content.map((block) => block.text));
  if (event.type === "session.status_idle") idle(event);
}
function idle(event: EventOf<"session.status_idle">): void {
  used.push(event.stop_reason.type);
}
// @ts-expect-error: the environment is required
await client.sessions.create({ agent: "agent_1" });
// @ts-expect-error: what this version does not serve is not offered
await client.environments.create({ name: "e", config: { type: "self_hosted" } });
// @ts-expect-error: a status that does not exist
await client.sessions.list({ statuses: ["asleep"] });
// @ts-expect-error: events have no such type
await client.sessions.events.send("sess_1", { events: [{ type: "agent.message", content: [] }] });
`;
