import type { Requirement } from "./requirement.ts";

export const confirmationRequirements: readonly Requirement[] = [
  {
    id: "confirm-ask",
    source: "api 4",
    rule: "A call of a tool with policy always_ask is recorded with evaluated_permission ask and does not run; other calls of the same model response run, and the turn ends idle with stop_reason requires_action and the ids of the waiting calls. The waiting time is not active time.",
  },
  {
    id: "confirm-allow",
    source: "api 4",
    rule: "An allowed call runs even while others wait; the session becomes idle again with the remaining calls, and the next model request is made when every call has its result.",
  },
  {
    id: "confirm-who",
    source: "the console: who decided",
    rule: "Each event that a client sends says in the log who sent it (created_by, which no client can set): a user or service account with the name at that time, and whether by the console or a token; the audit log's entry has the calls and what was decided.",
  },
  {
    id: "confirm-first",
    source: "decisions with names",
    rule: "A reply to a call that has one already is rejected with 409, which says who was first, what they decided and when, or which rule of whom allowed the call.",
  },
  {
    id: "confirm-always",
    source: "decisions with names",
    rule: "A confirmation with always adds a rule to the session, by which later calls of the tool run without asking: with a prefix those whose Bash command begins with it and holds nothing that could chain another command. Such a call has the rule and its maker in its event.",
  },
  {
    id: "confirm-rules",
    source: "decisions with names",
    rule: "The rules of a session are listed and can be revoked, with an event for each that is added or removed; they live in their session only, survive a kill of the service, and allow nothing that the agent's policy denies.",
  },
  {
    id: "confirm-deny",
    source: "api 4",
    rule: "A denied call does not run, and the model receives the client's deny_message, which is accepted only with deny.",
  },
  {
    id: "confirm-refuse",
    source: "api 4",
    rule: "A confirmation for something that is not a waiting call of the session, of the wrong kind, or twice in one request, is rejected with 400 naming its field; for a call that is already confirmed or interrupted with 409. All or none of a request's confirmations are accepted.",
  },
  {
    id: "confirm-once",
    source: "api 4",
    rule: "Of concurrent confirmations of one call exactly one is accepted, the others are rejected with 409, and the call runs at most once.",
  },
  {
    id: "confirm-interrupt",
    source: "api 4",
    rule: "An interrupt, or cancelling the session, ends the waiting calls with results that say so: the session is idle, cancelled, and continues with the next message.",
  },
  {
    id: "confirm-messages",
    source: "api 4",
    rule: "Messages sent while calls wait are stored, and the model receives them when every call has its result.",
  },
  {
    id: "confirm-durable",
    source: "api 4",
    rule: "Waiting calls survive a restart of the service; an archived or terminated session with waiting calls accepts no confirmations.",
  },
  {
    id: "custom-tool",
    source: "api 4",
    rule: "An agent has up to 128 tools, among them custom tools with a unique name, a description and a JSON Schema of an object, which are returned as given.",
  },
  {
    id: "custom-call",
    source: "api 4",
    rule: "A call of a custom tool is an agent.custom_tool_use that the session waits for; input that does not match the schema is returned to the model as an error and never reaches the client.",
  },
  {
    id: "custom-schema",
    source: "api 4",
    rule: "A custom tool whose schema providers reject reaches the model in a form that they take; the agent keeps the schema as given, the client's calls have its own names of properties, and the model sees its calls as it made them.",
  },
  {
    id: "custom-result",
    source: "api 4",
    rule: "The model receives the client's result: text, images or nothing, as an error or not.",
  },
];
