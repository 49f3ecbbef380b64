import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { randomLog } from "../../test-support/random-log.ts";
import type { ImageBlock } from "../models/model.ts";
import { foldHistory } from "./fold-history.ts";
import { LogCopy } from "./log-copy.ts";
import type { LogEntry } from "./log-entry.ts";

const RUNS = { numRuns: 300 };

function taken({ event, ...entry }: LogEntry): LogEntry {
  return { ...entry, event: { ...event, processed_at: "2026-01-01T00:00:00.000Z" } as LogEntry["event"] };
}

test("log copy: of every prefix of a log that grows, the history is that of a fold from the start", () => {
  fc.assert(
    fc.property(randomLog({ compaction: true }), (entries) => {
      const copy = new LogCopy();
      const processed = entries.map(taken);
      for (const [index, entry] of processed.entries()) {
        copy.add([entry]);
        assert.deepEqual(copy.history(), foldHistory(processed.slice(0, index + 1)));
      }
    }),
    RUNS,
  );
});

test("log copy: inputs that are taken later, in between and at any time, count as in a fold from the start", () => {
  const chances = fc.infiniteStream(fc.nat(9));
  fc.assert(
    fc.property(randomLog({ compaction: true }), chances, (entries, chance) => {
      const copy = new LogCopy();
      const known = new Map<number, LogEntry>();
      let late: LogEntry[] = [];
      const add = (...added: LogEntry[]) => {
        for (const entry of added) known.set(entry.seq, entry);
        copy.add(added);
      };
      const check = () => {
        const inOrder = [...known.values()].sort((one, other) => one.seq - other.seq);
        assert.deepEqual(copy.entries, inOrder);
        assert.deepEqual(copy.history(), foldHistory(inOrder));
        const [first] = inOrder.filter(({ seq, event }, at) => seq !== at + 1 || event.processed_at === null);
        assert.equal(copy.settledSeq(), first === undefined ? inOrder.length : inOrder.indexOf(first));
        assert.deepEqual(
          copy.unprocessed(),
          inOrder.filter(({ event }) => event.processed_at === null),
        );
      };
      for (const entry of entries) {
        const isInput = entry.event.processed_at === null;
        if (isInput && chance.next().value < 7) late.push(entry);
        else add(entry);
        if (chance.next().value < 3) {
          add(...late.map(taken));
          late = [];
        }
        if (chance.next().value < 5) check();
      }
      add(...entries.filter(({ event }) => event.processed_at === null).map(taken));
      check();
    }),
    RUNS,
  );
});

test("log copy: a history stays as it is when the log grows", () => {
  fc.assert(
    fc.property(randomLog({ compaction: true }), (entries) => {
      const copy = new LogCopy();
      const before: { history: unknown; text: string }[] = [];
      for (const entry of entries) {
        copy.add([entry]);
        const history = copy.history();
        before.push({ history, text: JSON.stringify(history) });
      }
      for (const { history, text } of before) assert.equal(JSON.stringify(history), text);
    }),
    RUNS,
  );
});

test("log copy: files count that were read after their message was folded, and those of another turn do not", () => {
  const log = new MemoryLog();
  log.store([
    {
      event: {
        type: "user.message",
        content: [{ type: "image", source: { type: "file", file_id: "file_1" } }],
      },
    },
  ]);
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  const { copy } = log;
  const image: ImageBlock = { type: "image", mediaType: "image/png", data: "aaaa" };
  const files = new Map<string, ImageBlock>();
  const folded = () => foldHistory(copy.entries, files);
  assert.deepEqual(copy.history(files), folded());
  files.set("file_1", image);
  assert.deepEqual(copy.history(files), folded());
  assert.deepEqual(copy.history(files).messages, [{ role: "user", content: [image] }]);
  assert.deepEqual(copy.messagesWithFiles, [copy.entries[0]]);
  assert.deepEqual(copy.history(new Map()), foldHistory(copy.entries));
  const other = new Map([["file_1", { ...image, data: "bbbb" }]]);
  assert.deepEqual(copy.history(other), foldHistory(copy.entries, other));
});

test("log copy: entries that a fold fails on fail it each time", () => {
  const log = new MemoryLog();
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  const broken = { type: "agent.message", content: null, id: "event_1", processed_at: "now" };
  const copy = new LogCopy(log.entries);
  copy.add([{ seq: 2, memo: null, event: broken as never }]);
  copy.add([{ seq: 3, memo: null, event: { ...log.entries[0]?.event } as never }]);
  assert.throws(() => copy.history(), TypeError);
  assert.throws(() => copy.history(), TypeError);
});
