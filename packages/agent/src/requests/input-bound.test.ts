import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelMessage } from "../models/model.ts";
import { inputBound } from "./input-bound.ts";

const WINDOW = 200_000;
const PREFIX = { system: "You are an agent.", tools: [] };
const text = fc.string({ unit: "binary", maxLength: 400 });
const message = fc.oneof(
  text.map((value): ModelMessage => ({ role: "user", content: [{ type: "text", text: value }] })),
  text.map((value): ModelMessage => ({ role: "assistant", content: [{ type: "text", text: value }] })),
  text.map(
    (value): ModelMessage => ({
      role: "tool",
      content: [{ id: "1", name: "Bash", content: [{ type: "text", text: value }], isError: false }],
    }),
  ),
);

const NOTHING_KNOWN = { measured: null, messages: [] };
const boundOf = (messages: readonly ModelMessage[]) =>
  inputBound({ ...PREFIX, messages }, NOTHING_KNOWN, false, WINDOW);

test("property: a token has at least a byte, and no estimate is above the bound", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
      const sent = JSON.stringify(messages);
      const bound = boundOf(messages);
      assert.ok(bound >= Buffer.byteLength(sent));
      assert.ok(bound >= estimatePrefixTokens(PREFIX) + estimateTokens(messages));
    }),
  );
});

test("property: what a response's usage covers counts as its provider counted it", () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 9 }),
      fc.array(message, { maxLength: 9 }),
      fc.nat(50),
      (old, since, tokens) => {
        const messages = [...old, ...since];
        const measured = { tokens, messages: old.length };
        const known = { measured, messages };
        const covered = inputBound({ ...PREFIX, messages }, known, true, WINDOW);
        assert.ok(covered >= tokens + estimateTokens(since) && covered <= boundOf(messages));
        const otherwise = inputBound({ ...PREFIX, messages }, known, false, WINDOW);
        assert.ok(otherwise >= covered, "another prefix counts anew");
        const rewritten = [{ ...(old[0] as ModelMessage) }, ...messages.slice(1)];
        assert.equal(inputBound({ ...PREFIX, messages: rewritten }, known, true, WINDOW), boundOf(rewritten));
      },
    ),
  );
});

test("an image counts a fixed number, a document the whole window, whatever their size", () => {
  const image = { type: "image" as const, mediaType: "image/png", data: "A".repeat(1_000_000) };
  const pdf = { type: "document" as const, mediaType: "application/pdf" as const, data: "A".repeat(10) };
  const plain = boundOf([{ role: "user", content: [] }]);
  const seen = boundOf([{ role: "user", content: [image, pdf] }]) - plain;
  assert.ok(seen >= 50_000 + WINDOW && seen < 50_100 + WINDOW, `${seen}`);
});
