import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageBlock } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel } from "../../test-support/scripted-model.ts";
import { testTurn } from "../../test-support/turn.ts";
import { runTurn } from "../loop/run-turn.ts";
import type { ModelMessage } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { foldHistory } from "./fold-history.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
const pdf = Buffer.from("%PDF-1.7\nrest");
const imageId = "file_00000000000000000000000001";
const pdfId = "file_00000000000000000000000002";
const goneId = "file_00000000000000000000000003";

function logOf(...content: MessageBlock[]): MemoryLog {
  const log = new MemoryLog();
  log.store([{ event: { type: "user.message", content } }]);
  return log;
}

/** Returns the request that a turn on this log makes. */
async function asked(
  log: MemoryLog,
  files: Record<string, Uint8Array> = {},
): Promise<{ messages: readonly ModelMessage[]; reads: string[] }> {
  const reads: string[] = [];
  const model = scriptedModel([says("Seen.")]);
  const readFile = async (id: string) => {
    reads.push(id);
    return files[id] ?? null;
  };
  await runTurn(testTurn({ log, model, readFile }));
  return { messages: model.requests[0]?.messages ?? [], reads };
}

test("user message: adjacent texts become one block, and images keep their position", async () => {
  const image: MessageBlock = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: png.toString("base64") },
  };
  const text = (text: string): MessageBlock => ({ type: "text", text });
  const { messages } = await asked(logOf(text("a"), text("b"), image, text(" "), text("c")));
  assert.deepEqual(messages, [
    {
      role: "user",
      content: [
        { type: "text", text: "a\n\nb" },
        { type: "image", mediaType: "image/png", data: png.toString("base64") },
        { type: "text", text: " \n\nc" },
      ],
    },
  ]);
});

test("user message: a file is read once, and its bytes decide its type", async () => {
  const log = logOf(
    { type: "image", source: { type: "file", file_id: imageId } },
    { type: "image", source: { type: "file", file_id: imageId } },
    { type: "document", source: { type: "file", file_id: pdfId }, title: "Report", context: "Of May." },
    { type: "image", source: { type: "file", file_id: pdfId } },
    { type: "document", source: { type: "file", file_id: goneId } },
  );
  const { messages, reads } = await asked(log, { [imageId]: png, [pdfId]: pdf });
  assert.deepEqual(reads, [imageId, pdfId, goneId]);
  const image = { type: "image", mediaType: "image/png", data: png.toString("base64") };
  assert.deepEqual(messages[0]?.content, [
    image,
    image,
    { type: "text", text: "[A document: Report]\nOf May." },
    { type: "document", mediaType: "application/pdf", data: pdf.toString("base64") },
    { type: "text", text: notes.unreadableFile(pdfId) },
    { type: "text", text: notes.textDocument(null, null, notes.unreadableFile(goneId)) },
  ]);
});

test("user message: text documents become text blocks, whatever their source", async () => {
  const given = "a line\nanother";
  const inline: MessageBlock = {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: given },
  };
  const base64: MessageBlock = {
    type: "document",
    source: { type: "base64", media_type: "text/plain", data: Buffer.from(given).toString("base64") },
  };
  const file: MessageBlock = { type: "document", source: { type: "file", file_id: pdfId } };
  const { messages } = await asked(logOf(inline, base64, file), { [pdfId]: Buffer.from(given) });
  const block = { type: "text", text: notes.textDocument(null, null, given) };
  assert.deepEqual(messages[0]?.content, [block, block, block]);
});

test("operator message: it enters with the next request and starts none", async () => {
  const log = new MemoryLog();
  const operator = {
    type: "system.message" as const,
    content: [{ type: "text" as const, text: "Be brief." }],
  };
  log.store([{ event: operator }]);
  assert.deepEqual(await runTurn(testTurn({ log })), { type: "end_turn" });
  assert.ok(!log.types.includes("span.model_request_start"));
  log.message("Go.");
  const { messages } = await asked(log);
  assert.deepEqual(messages[0]?.content, [
    { type: "text", text: notes.operatorMessage("Be brief.") },
    { type: "text", text: "Go." },
  ]);
  assert.equal(foldHistory(log.entries).newestMessage, "Go.");
});

test("compaction: images of the newest message are kept, documents are not", async () => {
  const log = logOf(
    { type: "text", text: `What is this? ${"x".repeat(52_000)}` },
    { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") },
    },
  );
  const limits = { contextWindow: 20_000, maxOutputTokens: 4_000 };
  const model = scriptedModel([says("A summary."), says("A cat.")], limits);
  await runTurn(testTurn({ log, model }));
  const types = model.requests
    .at(-1)
    ?.messages[0]?.content.map((block) => ("type" in block ? block.type : ""));
  assert.deepEqual(types, ["text", "text", "image"]);
  assert.deepEqual(foldHistory(log.entries).messages[0], model.requests.at(-1)?.messages[0]);
});
