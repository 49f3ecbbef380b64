import assert from "node:assert/strict";
import { test } from "node:test";
import { newNonce } from "./command-run.ts";
import { type CommandEnd, FrameReader } from "./frame-reader.ts";

/** Returns a reader and an object with what it has reported so far. */
function reading(nonce: string) {
  const told: { text: string; end: CommandEnd | null } = { text: "", end: null };
  const reader = new FrameReader(nonce, {
    begin: () => undefined,
    body: (bytes) => {
      told.text += bytes.toString();
    },
    end: (end) => {
      told.end = end;
    },
  });
  reader.push(Buffer.from("\n"));
  return { reader, told };
}

const ENDINGS = [
  "half a line",
  "Continue? [y/N] ",
  "60%",
  ...Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)),
  "\n",
  "é",
];

test("what a command prints is passed on at once, whatever it ends with and whatever the nonce is", () => {
  for (let count = 0; count < 100; count++)
    for (const ending of ENDINGS) {
      const { reader, told } = reading(newNonce());
      reader.push(Buffer.from(`printed: ${ending}`));
      assert.equal(told.text, `printed: ${ending}`);
    }
});

test("the end is told once, wherever the output is cut into chunks, and is no part of what was printed", () => {
  const nonce = newNonce();
  // A printed beginning of the nonce counts as output as soon as other bytes follow.
  const printed = `a${nonce.slice(0, 1)}b${nonce.slice(0, 20)}c`;
  const whole = Buffer.from(`${printed}${nonce} 7 /data/a b ${nonce}later`);
  for (let at = 0; at <= whole.length; at++) {
    const { reader, told } = reading(nonce);
    reader.push(whole.subarray(0, at));
    reader.push(whole.subarray(at));
    assert.deepEqual(told, { text: printed, end: { exitCode: 7, cwd: "/data/a b" } }, `cut at ${at}`);
  }
});

test("the pipe is closed without an end → flush passes on what could have begun one", () => {
  const nonce = newNonce();
  const { reader, told } = reading(nonce);
  reader.push(Buffer.from(`shown ${nonce.slice(0, 9)}`));
  assert.equal(told.text, "shown ");
  reader.flush();
  assert.equal(told.text, `shown ${nonce.slice(0, 9)}`);
});
