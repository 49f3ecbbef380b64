import type { Requirement } from "./requirement.ts";

export const memoryRequirements: readonly Requirement[] = [
  {
    id: "memory-store-crud",
    source: "api 4",
    rule: "Memory stores have a name of 1 to 255 characters, a description and metadata; they can be listed newest first, read, changed, archived and deleted.",
  },
  {
    id: "memory-store-archived",
    source: "api 4",
    rule: "An archived memory store and its contents can be read; every change is rejected with 403.",
  },
  {
    id: "memory-crud",
    source: "api 4",
    rule: "A memory is a text at an absolute path; lists omit the content and can be filtered by path prefix, a read includes it, and each response has the content's hash and size.",
  },
  {
    id: "memory-limits",
    source: "api 4",
    rule: "A memory's path is absolute, at most 1,024 bytes, without empty, '.' or '..' segments or control characters; its content is at most 102,400 bytes of UTF-8; otherwise the request is rejected with 400 naming the field.",
  },
  {
    id: "memory-path-once",
    source: "api 4",
    rule: "A path exists once in a store, and no memory is below the path of another; otherwise 409.",
  },
  {
    id: "memory-precondition",
    source: "api 4",
    rule: "A change or deletion whose precondition does not match the current content is rejected with 409 and changes nothing.",
  },
  {
    id: "memory-versions",
    source: "api 4",
    rule: "Each creation, change and deletion of a memory creates a version with the content and the actor; versions are listed newest first and filtered by memory, session and operation.",
  },
  {
    id: "memory-redact",
    source: "api 4",
    rule: "A redacted version stays in the list and permanently loses its path, content and hash; the newest version of an existing memory cannot be redacted: 409.",
  },
  {
    id: "memory-mount",
    source: "seed 1",
    rule: "Memory stores are mounted only when a session is created, at most 8 and each once, with read_write or read_only access and instructions; the session shows the mount path, /mnt/memory and the store's name.",
  },
  {
    id: "memory-mount-faults",
    source: "api 4",
    rule: "Mounting an archived store is rejected with 409, an unknown one with 404, and an inaccessible one with 403; a store that an active session mounts cannot be deleted (409), and a mount cannot be rotated (400).",
  },
  {
    id: "memory-filter",
    source: "api 4",
    rule: "Sessions can be filtered by a mounted memory store.",
  },
  {
    id: "memory-write-out",
    source: "api 4",
    rule: "Files that the agent writes, changes or removes below the mount become new versions by that session when the tool call ends.",
  },
  {
    id: "memory-write-in",
    source: "api 4",
    rule: "Changes through the API or by another session are in the container when the next tool call begins.",
  },
  {
    id: "memory-conflict",
    source: "api 4",
    rule: "A change in the container that is based on outdated content is discarded, the file gets the stored content again, and the agent is informed.",
  },
  {
    id: "memory-unfit",
    source: "api 4",
    rule: "Files that cannot be memories (too large, not UTF-8, or with an invalid name) are not stored, and the agent is told the reason.",
  },
  {
    id: "memory-read-only",
    source: "api 4",
    rule: "Below a read_only mount the agent can read the memories and cannot write.",
  },
  {
    id: "memory-crash",
    source: "api 4",
    rule: "Changes that were written but not stored before the runner died are stored before the next tool call.",
  },
];
