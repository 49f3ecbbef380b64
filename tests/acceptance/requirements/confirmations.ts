import type { Requirement } from "./requirement.ts";

export const confirmationRequirements: readonly Requirement[] = [
  {
    id: "confirm-ask",
    source: "api 4",
    rule: "A call of a tool whose policy is always_ask is announced with evaluated_permission ask and does not run; other calls of the same answer do, and the turn ends idle with stop_reason requires_action and the ids of the calls that wait. The wait is no active time.",
  },
  {
    id: "confirm-allow",
    source: "api 4",
    rule: "An allowed call runs, whether or not others still wait; the session is idle again with the rest, and the model is asked when every call has its result.",
  },
  {
    id: "confirm-deny",
    source: "api 4",
    rule: "A denied call does not run, and the model is told so with the client's deny_message, which goes with deny only.",
  },
  {
    id: "confirm-refuse",
    source: "api 4",
    rule: "An answer to what is no waiting call of the session, of the wrong kind, or twice in one request is refused with 400 and its field; an answer to a call that was answered or interrupted with 409; all or none of a request is taken.",
  },
  {
    id: "confirm-once",
    source: "api 4",
    rule: "Of answers that are sent at once to one call exactly one is taken, the others are 409, and the call runs at most once.",
  },
  {
    id: "confirm-interrupt",
    source: "api 4",
    rule: "An interrupt, or cancelling the session, ends the calls that wait with results that say so: the session is idle, cancelled, and goes on with the next message.",
  },
  {
    id: "confirm-messages",
    source: "api 4",
    rule: "Messages that come while calls wait are kept, and answered when every call has its result.",
  },
  {
    id: "confirm-durable",
    source: "api 4",
    rule: "Calls that wait outlive the service, and an archived or terminated session with waiting calls takes no answers.",
  },
  {
    id: "custom-tool",
    source: "api 4",
    rule: "An agent has up to 128 tools, among them custom ones with a name that no other has, a description and a JSON Schema of an object, answered as they were given.",
  },
  {
    id: "custom-call",
    source: "api 4",
    rule: "A call of a custom tool is an agent.custom_tool_use that the session waits for; input that does not fit the schema is refused to the model and never reaches the client.",
  },
  {
    id: "custom-result",
    source: "api 4",
    rule: "The client's result, text or images or nothing, as an error or not, is the result that the model sees.",
  },
];
