import type { Requirement } from "./requirement.ts";

export const memoryRequirements: readonly Requirement[] = [
  {
    id: "memory-store-crud",
    source: "api 4",
    rule: "Memory stores have a name of 1 to 255 characters, a description and metadata; they are listed newest first, read, changed, archived and deleted.",
  },
  {
    id: "memory-store-archived",
    source: "api 4",
    rule: "An archived memory store and what is in it can be read; every change is 403.",
  },
  {
    id: "memory-crud",
    source: "api 4",
    rule: "A memory is a text at an absolute path; it is listed without its content, by a beginning of its path if wanted, and read with it; its answer has the hash and the size of the content.",
  },
  {
    id: "memory-limits",
    source: "api 4",
    rule: "A memory's path is absolute, at most 1,024 bytes, without empty, '.' or '..' segments or control characters; its content is at most 102,400 bytes of UTF-8; else 400 naming the field.",
  },
  {
    id: "memory-path-once",
    source: "api 4",
    rule: "A path is taken once in a store, and no memory lies below another: 409.",
  },
  {
    id: "memory-precondition",
    source: "api 4",
    rule: "A change or deletion that expects another content than the memory has is 409, and nothing is changed.",
  },
  {
    id: "memory-versions",
    source: "api 4",
    rule: "Each creation, change and deletion of a memory is a version that tells what there was and who did it; versions are listed newest first and filtered by memory, session and operation.",
  },
  {
    id: "memory-redact",
    source: "api 4",
    rule: "A redacted version keeps its place and loses path, content and hash for good; the newest version of a memory that is there cannot be redacted: 409.",
  },
];
