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
  {
    id: "memory-mount",
    source: "seed 1",
    rule: "A memory store is mounted in a session only when that is created, with read_write or read_only access and instructions, at most 8, each once; it answers where it is mounted, below /mnt/memory by its name.",
  },
  {
    id: "memory-mount-faults",
    source: "api 4",
    rule: "An archived store cannot be mounted: 409; one that is not there is 404, another's 403; a mounted store can neither be deleted while its session goes on (409) nor be rotated (400).",
  },
  {
    id: "memory-filter",
    source: "api 4",
    rule: "Sessions are listed by the memory store that they have mounted.",
  },
  {
    id: "memory-write-out",
    source: "api 4",
    rule: "What the agent writes, changes or removes below the mount is a new version by that session when the tool call ends.",
  },
  {
    id: "memory-write-in",
    source: "api 4",
    rule: "What was changed over the API or by another session is in the container when the next tool call begins.",
  },
  {
    id: "memory-conflict",
    source: "api 4",
    rule: "A change in the container that was made from an older content than the memory has is not taken, the file holds the memory again, and the agent is told.",
  },
  {
    id: "memory-unfit",
    source: "api 4",
    rule: "Files that cannot be memories (too large, no UTF-8 text, names that no memory can have) are not stored, and the agent is told why.",
  },
  {
    id: "memory-read-only",
    source: "api 4",
    rule: "Below a read_only mount the agent can read the memories and write nothing.",
  },
  {
    id: "memory-crash",
    source: "api 4",
    rule: "What was written before the runner died, and not stored yet, is stored before the next tool call.",
  },
];
