import type { Command, Option } from "commander";

/**
 * Moves options before a command, or between the words of one, behind it: `--url X sessions list` means
 * `sessions list --url X`. Options of the program itself, and of the words before them, stay in place.
 */
export function optionsBehindCommand(program: Command, given: readonly string[]): string[] {
  const known = new Map(
    allOptions(program).flatMap((option) => flagsOf(option).map((flag) => [flag, option])),
  );
  const words: string[] = [];
  const moved: string[] = [];
  let command = program;
  let index = 0;
  for (let word = given[0]; word !== undefined && command.commands.length > 0; word = given[index]) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    const option = optionOf(word, known);
    if (next !== undefined) {
      command = next;
      words.push(word);
      index += 1;
    } else if (option !== undefined && !command.options.includes(option)) {
      // `--url=X` is one word.
      const length = option.required && flagsOf(option).includes(word) ? 2 : 1;
      moved.push(...given.slice(index, index + length));
      index += length;
    } else break;
  }
  return [...words, ...moved, ...given.slice(index)];
}

function allOptions(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(allOptions)];
}

function flagsOf({ long, short }: Option): string[] {
  return [long, short].filter((flag) => flag != null);
}

function optionOf(word: string, known: ReadonlyMap<string, Option>): Option | undefined {
  return known.get(word.startsWith("--") ? word.replace(/=.*$/s, "") : word);
}
