import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretMask } from "@berth/store/masking";
import fc from "fast-check";
import { PrintedOutput } from "./printed-output.ts";

const SECRET = "ghp_Zk3canaryQ9wLxV7mR2tYpE8sNfB5hJcU1d";
const KEY = Array.from({ length: 60 }, (_, line) =>
  Buffer.from(`key ${line * 7_919} of it`).toString("base64"),
).join("\n");

function printed(...secrets: string[]): PrintedOutput {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return new PrintedOutput("evt_1", () => mask.stream(), { changed: () => {}, ended: () => {} });
}

/** Returns whether the text contains six consecutive characters of the secret. */
function shows(text: string, secret: string): boolean {
  for (let at = 0; at + 6 <= secret.length; at++) if (text.includes(secret.slice(at, at + 6))) return true;
  return false;
}

test("take: a text in any chunks, taken at any time → together what the mask makes of the whole", () => {
  const words = fc.constantFrom(
    SECRET,
    "a plain line\n",
    "g",
    "gh",
    "é😀",
    "\u001b[32m",
    "\n",
    SECRET.slice(0, 20),
    "end",
  );
  const parts = fc.array(fc.tuple(words, fc.integer({ min: 1, max: 50 }), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(parts, (given) => {
      const output = printed(SECRET);
      const mask = new SecretMask();
      mask.add(SECRET);
      let [shown, end] = ["", 0];
      for (const [text, size, takes] of [...given, ["\n.\n", 3, true] as const]) {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) output.add(bytes.subarray(at, at + size));
        if (!takes) continue;
        const piece = output.take(false);
        if (piece === null) continue;
        assert.equal(piece.offset, end, "nothing is left out");
        shown += piece.text;
        end = piece.offset + piece.text.length;
      }
      // Up to three characters of the beginning of a secret are shown, and may then stand before the mask.
      const expected = mask.mask(`${given.map(([text]) => text).join("")}\n.\n`);
      const early = shown.replaceAll(/(ghp|gh|g)\s*(?=\[redacted\])/g, "");
      assert.equal(early, expected.replaceAll(/(ghp|gh|g)\s*(?=\[redacted\])/g, ""));
    }),
  );
});

test("take and text: wherever the part begins that is shown → nothing of a secret that began before it", () => {
  for (const secret of [SECRET, KEY]) {
    for (let place = -20; place < secret.length + 20; place += secret === KEY ? 97 : 3) {
      for (const shownBytes of [8 * 1024, 12 * 1024]) {
        const output = printed(secret);
        output.take(true);
        const after = shownBytes - secret.length + place;
        output.add(Buffer.from("before ".repeat(20_000)));
        output.add(Buffer.from(secret));
        output.add(Buffer.from("after. ".repeat(after / 7 + 1).slice(0, Math.max(0, after))));
        const texts = [output.take(false)?.text ?? "", output.text()];
        for (const text of texts) assert.ok(!shows(text, secret), `${place}: ${text.slice(0, 200)}`);
        assert.match(texts.join(""), /after\. after/);
      }
    }
  }
});

test("text: a secret that is half printed when the head or the whole ends → no more than its first characters", () => {
  const whole = printed(SECRET);
  whole.add(Buffer.from(`token: ${SECRET.slice(0, 30)}`));
  assert.equal(whole.text(), "token: ");
  whole.add(Buffer.from(`${SECRET.slice(30)} is it`));
  assert.equal(whole.text(), "token: [redacted] is it");
  for (let before = 4 * 1024 - SECRET.length; before < 4 * 1024; before++) {
    const output = printed(SECRET);
    output.add(Buffer.from(`${"x".repeat(before)}${SECRET}${" y".repeat(50_000)}`));
    assert.ok(!shows(output.text(), SECRET), `${before}`);
  }
});

test("a flood: each piece is small, its offset tells what was left out, and what is kept is bounded", () => {
  const output = printed(SECRET);
  let end = 0;
  for (let count = 0; count < 50; count++) {
    for (let chunk = 0; chunk < 20; chunk++) output.add(Buffer.from("a line of a flood\n".repeat(3_000)));
    const piece = output.take(false);
    assert.ok(piece !== null && piece.text.length <= 8 * 1024);
    assert.ok(piece.offset > end);
    end = piece.offset + piece.text.length;
  }
  assert.equal(end, output.bytes);
  assert.equal(output.take(false), null);
  const again = output.take(true);
  assert.ok(again !== null && again.offset + again.text.length === end && again.text.length > 4_000);
  assert.match(
    output.text(),
    /^a line of a flood\n[\s\S]*\[\d+ bytes left out of the middle\]\n[\s\S]*a line of a flood\n$/,
  );
  assert.ok(output.text().length < 17_000);
});

test("take: the end of a line is shown, though it may be the beginning of a secret", () => {
  const output = printed(SECRET);
  output.add(Buffer.from("building"));
  assert.equal(output.take(false)?.text, "building");
  output.add(Buffer.from("\nnext step"));
  assert.equal(output.take(false)?.text, "\nnext step");
  assert.deepEqual(output.take(true), { offset: 0, text: "building\nnext step" });
});

test("take and text: bytes that are no text, or half a character, do no harm", () => {
  const output = printed();
  const smile = Buffer.from("😀");
  output.add(Buffer.concat([Buffer.from([0, 255, 254]), smile.subarray(0, 2)]));
  const first = output.take(false)?.text ?? "";
  output.add(Buffer.concat([smile.subarray(2), Buffer.from("!")]));
  assert.equal(first + (output.take(false)?.text ?? ""), "\ufffd\ufffd\ufffd😀!");
  assert.equal(output.text(), "\ufffd\ufffd\ufffd😀!");
  assert.equal(printed().text(), "");
});
