import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "./program.ts";

const SCREENS = join(import.meta.dirname, "../../console/src");

/** The commands that the console shows to copy, with `ID` in place of what is only known when it is shown. */
function shownCommands(): string[] {
  const files = globSync("**/*.tsx", { cwd: SCREENS }).map((file) =>
    readFileSync(join(SCREENS, file), "utf8"),
  );
  const shown = /\b(?:command|text)(?:=|: )\{?(["'`])(berth (?:(?!\1).)*)\1/g;
  return files.flatMap((text) =>
    Array.from(text.matchAll(shown), ([, , command = ""]) => command.replaceAll(/\$\{[^}]*\}/g, "ID")),
  );
}

/** Returns the command that the words name, and the words after it. */
function named(program: Command, words: readonly string[]): [Command, string[]] {
  const next = program.commands.find((one) => one.name() === words[0]);
  return next === undefined ? [program, [...words]] : named(next, words.slice(1));
}

test("each command that the console shows is one, and takes its arguments and flags", () => {
  const shown = shownCommands();
  assert.ok(shown.length > 20, shown.join("\n"));
  for (const line of shown) {
    const words = line
      .replaceAll(/"[^"]*"/g, "TEXT")
      .split(" ")
      .slice(1);
    const [command, rest] = named(createProgram(), words);
    // A group without arguments of its own does nothing.
    assert.ok(command.commands.length === 0 || command.registeredArguments.length > 0, line);
    const { operands, unknown } = command.parseOptions(rest);
    assert.deepEqual(unknown, [], line);
    const taken = command.registeredArguments;
    assert.ok(operands.length >= taken.filter(({ required }) => required).length, line);
    assert.ok(operands.length <= taken.length || taken.at(-1)?.variadic, line);
  }
});

test("each line of a list of commands is a sentence", () => {
  const walk = (command: Command): Command[] => [command, ...command.commands.flatMap(walk)];
  for (const group of walk(createProgram()))
    for (const command of group.commands) {
      const line = group.createHelp().subcommandDescription(command);
      assert.match(line, /^['A-Z].*\.$/, `${group.name()} ${command.name()}`);
    }
});
