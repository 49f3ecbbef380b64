import type { Requirement } from "./requirement.ts";

/** Rules for images, documents and files in messages, and for the operator's messages to an agent. */
export const messageContentRequirements: readonly Requirement[] = [
  {
    id: "message-image",
    source: "api 4",
    rule: "A user.message may contain images, as base64 or by file_id; the model receives them, and the event returns the block as sent.",
  },
  {
    id: "message-document",
    source: "api 4",
    rule: "A user.message may contain PDF or text documents, as base64, as text or by file_id, with a title and context.",
  },
  {
    id: "message-content-faults",
    source: "api 4",
    rule: "Invalid base64, content that does not match its media type, content over the limits, more than twenty images and documents, and url sources are rejected with 400 naming the field.",
  },
  {
    id: "message-file",
    source: "api 4",
    rule: "A file in a message must exist (404), be accessible (403) and have content of the block's type (400); while the session is active the file cannot be deleted (409).",
  },
  {
    id: "system-message",
    source: "api 4",
    rule: "A system.message gives the agent an instruction of the operator with its next request and starts no turn; it contains only text, and is the last event of its request.",
  },
];
