import type { Command, Option } from "commander";

/** The position in a command line of the word that is being completed. */
export interface Position {
  command: Command;
  /** Arguments before the word. */
  args: string[];
  /** Values of options before the word, by their long flags. */
  given: Map<string, string>;
  /** Option whose value the word is. */
  option?: Option;
  /** Text before the value in the same word: `--model=`. */
  prefix: string;
  word: string;
  /** Whether a flag can be here, which is false after `--`. */
  flags: boolean;
}

/** Reads the words like the parser does. The last one is being completed. */
export function positionOf(program: Command, words: readonly string[]): Position {
  const word = words.at(-1) ?? "";
  const position: Position = { command: program, args: [], given: new Map(), prefix: "", word, flags: true };
  let open: Option | undefined;
  for (const each of words.slice(0, -1)) open = step(position, each, open);
  const [flag, value] = splitFlag(word);
  const named = value === undefined || !position.flags ? undefined : optionOf(position, flag);
  if (named !== undefined) return { ...position, option: named, prefix: `${flag}=`, word: value ?? "" };
  // A required value can begin with a dash.
  if (open !== undefined && !(word.startsWith("-") && position.given.has(nameOf(open))))
    return { ...position, option: open };
  return position;
}

/** Adds one word to the position. Returns the option whose value the next word can be. */
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

/** Returns the long flag of an option, else its short one. */
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
