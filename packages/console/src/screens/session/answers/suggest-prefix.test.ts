import assert from "node:assert/strict";
import { test } from "node:test";
import { shellOperatorIn, trimCommand } from "@berth/sdk/operations";
import fc from "fast-check";
import { suggestPrefix } from "./suggest-prefix.ts";

test("suggested prefix: the program and its subcommand", () => {
  for (const [command, prefix] of [
    ["npm test", "npm test"],
    ["npm test -- -u\n", "npm test"],
    ["npm run build --silent", "npm run build"],
    ["git  commit -m 'x'", "git  commit"],
    ["ls -la", "ls"],
    ["cat src/a.ts", "cat"],
    ["go test ./...", "go test"],
    ["pytest", "pytest"],
    ["bash script.sh", "bash script.sh"],
    ["sudo rm -rf x", "sudo rm -rf x"],
    ["FOO=1 npm test", "FOO=1 npm test"],
    ["npm test; rm x", ""],
    ["npm test | cat", ""],
    ["", ""],
  ] as const)
    assert.equal(suggestPrefix(command), prefix, command);
});

test("suggested prefix, property: empty, or the beginning of the command to the end of a word", () => {
  const word = fc.constantFrom("npm", "run", "test", "-u", "a/b", "x=1", "$HOME", "'q'", "sudo", ";", "|");
  const gap = fc.constantFrom(" ", "  ", "\t");
  const commands = fc.array(fc.tuple(word, gap), { maxLength: 6 }).map((parts) => parts.flat().join(""));
  fc.assert(
    fc.property(commands, (command) => {
      const prefix = suggestPrefix(command);
      const trimmed = trimCommand(command);
      assert.ok(trimmed.startsWith(prefix));
      assert.match(trimmed.slice(prefix.length), prefix === "" ? /^/ : /^($|[ \t])/);
      assert.equal(prefix === "", trimmed === "" || shellOperatorIn(trimmed) !== null);
    }),
  );
});
