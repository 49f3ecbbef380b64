import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgram } from "../program.ts";
import { optionsBehindCommand } from "./options-behind-command.ts";

const CASES: readonly [given: string, meant: string][] = [
  ["--url http://x whoami", "whoami --url http://x"],
  ["--url=http://x --json sessions list", "sessions list --url=http://x --json"],
  ["sessions --url http://x list --limit 3", "sessions list --url http://x --limit 3"],
  ["-o yaml --context work run task --model a/b", "run -o yaml --context work task --model a/b"],
  ["--data-dir /d doctor --json", "doctor --data-dir /d --json"],
  ["--url sessions whoami", "whoami --url sessions"],
  ["--token-file /t api GET /sessions -- --url", "api --token-file /t GET /sessions -- --url"],
  // These remain unchanged.
  ["run --url x task", "run --url x task"],
  ["run whoami --url x", "run whoami --url x"],
  ["--version", "--version"],
  ["--help", "--help"],
  ["help run", "help run"],
  ["--unknown x whoami", "--unknown x whoami"],
  ["--url http://x nothing", "--url http://x nothing"],
  ["--url", "--url"],
  ["", ""],
];
for (const [given, meant] of CASES) {
  test(`options before a command: ${given}`, () => {
    const words = (line: string) => line.split(" ").filter(Boolean);
    assert.deepEqual(optionsBehindCommand(createProgram(), words(given)), words(meant));
  });
}

test("options before a command: each command takes its options there as well as behind it", () => {
  const program = createProgram();
  const visit = (command: typeof program, path: string[]): number => {
    if (command.commands.length > 0)
      return command.commands.reduce((sum, one) => sum + visit(one, [...path, one.name()]), 0);
    const options = command.options.filter(({ long }) => long !== undefined && long !== "--help");
    const given = options.flatMap(({ long, required }) => [long ?? "", ...(required ? ["value"] : [])]);
    assert.deepEqual(optionsBehindCommand(program, [...given, ...path]), [...path, ...given], path.join(" "));
    return options.length;
  };
  assert.ok(visit(program, []) > 100);
});
