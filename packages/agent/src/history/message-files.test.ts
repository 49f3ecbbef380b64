import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import type { UserBlock } from "../models/model.ts";
import type { LogEntry } from "./log-entry.ts";
import { loadFiles } from "./message-files.ts";

const MEGABYTE = 1024 * 1024;

function message(fileIds: readonly string[]): LogEntry {
  const content = fileIds.map((file_id) => ({
    type: "document" as const,
    source: { type: "file" as const, file_id },
  }));
  const event = { id: formatId("event", newUuid()), type: "user.message", content } as LogEntry["event"];
  return { seq: 1, event, memo: null };
}

test("message files: newest first, each once, up to the total limit", async () => {
  const ids = Array.from({ length: 12 }, () => formatId("file", newUuid()));
  const log = [message(ids.slice(0, 6)), message(ids.slice(6))];
  const asked: string[] = [];
  const known = new Map<string, UserBlock | null>();
  const content = async (id: string) => {
    asked.push(id);
    return Buffer.alloc(30 * MEGABYTE, "x");
  };
  await loadFiles(log, known, content);
  assert.deepEqual(asked, ids.slice(6, 11));
  assert.deepEqual(
    [...known].map(([, block]) => block === null),
    [...ids.slice(6), ...ids.slice(0, 6)].map((_, at) => at >= 5),
  );
  const late = formatId("file", newUuid());
  await loadFiles([...log, message([late])], known, content);
  assert.deepEqual([asked.length, known.get(late)], [5, null]);
});
