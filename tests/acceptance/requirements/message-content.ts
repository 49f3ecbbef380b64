import type { Requirement } from "./requirement.ts";

/** What messages hold besides text, and what the operator tells an agent. */
export const messageContentRequirements: readonly Requirement[] = [
  {
    id: "message-image",
    source: "api 4",
    rule: "A user.message may hold images, as base64 or by file_id; the model is shown them, and the event answers the block as it was sent.",
  },
  {
    id: "message-document",
    source: "api 4",
    rule: "A user.message may hold documents, PDF or text, as base64, as text or by file_id, with a title and context.",
  },
  {
    id: "message-content-faults",
    source: "api 4",
    rule: "Base64 that is none, content that is not what its media type says, content over the limits, more than twenty images and documents, and url sources are 400 naming the field.",
  },
  {
    id: "message-file",
    source: "api 4",
    rule: "A file in a message must exist (404), be within reach (403) and hold what the block stands for (400); while the session lives it cannot be deleted (409).",
  },
  {
    id: "system-message",
    source: "api 4",
    rule: "A system.message tells the agent something as the operator with its next request and starts no turn; it is text, and the last of the events that it is sent with.",
  },
];
