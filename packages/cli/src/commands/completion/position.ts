import type { Command, Option } from "commander";

/** Where in a command line the word is that is being completed. */
export interface Position {
  command: Command;
  /** The arguments before it. */
  args: string[];
  /** The values of options before it, by their long flags. */
  given: Map<string, string>;
  /** The option whose value it is. */
  option?: Option;
  /** What comes before the value in the same word: `--model=`. */
  prefix: string;
  word: string;
  /** Whether a flag can be here: not after `--`. */
  flags: boolean;
}

/** Reads the words as the parser would. The last one is being completed. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const word = words.at(-1) ?? "";
  const position: Position = { command: program, args: [], given: new Map(), prefix: "", word, flags: true };
  let open: Option | undefined;
  for (const each of words.slice(0, -1)) open = step(position, each, open);
  const [flag, value] = splitFlag(word);
  const named = value === undefined || !position.flags ? undefined : optionOf(position, flag);
  if (named !== undefined) return { ...position, option: named, prefix: `${flag}=`, word: value ?? "" };
  // A value that must be there can begin with a dash.
  if (open !== undefined && !(word.startsWith("-") && position.given.has(nameOf(open))))
    return { ...position, option: open };
  return position;
}

/** Takes one word into the position. Returns the option whose value the next word can be. */
function step(position: Position, word: string, open: Option | undefined): Option | undefined {
  const { command, args, given } = position;
  const isFlag = position.flags && word.length > 1 && word.startsWith("-");
  if (open !== undefined && !(isFlag && given.has(nameOf(open)))) {
    given.set(nameOf(open), word);
    return open.variadic ? open : undefined;
  }
  if (isFlag) {
    if (word === "--") position.flags = false;
    const [flag, value] = splitFlag(word);
    const option = optionOf(position, flag);
    if (option === undefined) return undefined;
    if (value === undefined && option.required) {
      given.delete(nameOf(option));
      return option;
    }
    given.set(nameOf(option), value ?? "");
    return undefined;
  }
  const child = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
  if (child === undefined) args.push(word);
  else position.command = child;
  return undefined;
}

export function nameOf(option: Option): string {
  return option.long ?? option.flags;
}

function splitFlag(word: string): [flag: string, value: string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function optionOf({ command }: Position, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}
