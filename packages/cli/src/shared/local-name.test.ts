import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocalName } from "./local-name.ts";

const NOWHERE = ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b"];
const NOT_ON_WINDOWS = [
  "..\\..\\evil.bat",
  "\\\\host\\share",
  "C:",
  "c:x",
  "a.txt:stream",
  "nul",
  "NUL.txt",
  "com1",
  "COM¹.log",
  "Aux .c",
  "CONIN$",
  ".. ",
  "...",
  "a.",
  "a ",
  "a\nb",
  "what?",
];
const ANYWHERE = ["a", ".hidden", "..a", "a b", "null", "com10", "console.log", "aux-1", "ä", "-rf"];

test("names that lead elsewhere are refused, on each system by its own rules", () => {
  for (const platform of ["linux", "darwin", "win32"] as const) {
    for (const name of NOWHERE)
      assert.ok(!isLocalName(name, platform), `${platform} ${JSON.stringify(name)}`);
    for (const name of ANYWHERE)
      assert.ok(isLocalName(name, platform), `${platform} ${JSON.stringify(name)}`);
    for (const name of NOT_ON_WINDOWS)
      assert.equal(isLocalName(name, platform), platform !== "win32", `${platform} ${JSON.stringify(name)}`);
  }
});
