import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ansiPieces, ansiText } from "./ansi.ts";

const E = "\u001b";

test("colours and weights become names", () => {
  const pieces = ansiPieces(`a${E}[31mred${E}[0m${E}[1;92mgreen${E}[0m`);
  assert.deepEqual(pieces, [
    { text: "a", names: [], color: null },
    { text: "red", names: ["ansi-red"], color: null },
    { text: "green", names: ["ansi-green", "ansi-bold"], color: null },
  ]);
});

test("colours of the 256 and of all become colours", () => {
  const colors = ansiPieces(`${E}[38;5;196mx${E}[38;5;240my${E}[38;2;1;2;3mz`).map(({ color }) => color);
  assert.deepEqual(colors, ["rgb(255, 0, 0)", "rgb(88, 88, 88)", "rgb(1, 2, 3)"]);
});

test("a line that is written over shows its last state", () => {
  assert.equal(ansiText("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n");
});

test("titles, links and movements of the cursor are taken out", () => {
  assert.equal(
    ansiText(`${E}]0;title\u0007a${E}]8;;http://x${E}\\b${E}[2K${E}[1Ac${E}[?25ld${E}(Be`),
    "abcde",
  );
});

test("no control character is left in any output, but tab and line feed", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(E, `${E}[`, `${E}]`, "\r", "\u0007", "31m", "\u202e", ";", "\u009b"),
  );
  fc.assert(
    fc.property(
      fc.array(piece).map((all) => all.join("")),
      (output) => {
        for (const text of [
          ansiText(output),
          ansiPieces(output)
            .map((one) => one.text)
            .join(""),
        ])
          assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      },
    ),
    { numRuns: 500 },
  );
});
