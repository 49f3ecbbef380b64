import { shellOperatorIn, trimCommand } from "@berth/sdk/operations";

/** Programs that run whatever their arguments say, so that their name alone would allow everything. */
const RUNNERS = new Set(
  "bash sh zsh dash env sudo su xargs eval exec command nohup time timeout nice find ssh docker python python3 node deno bun perl ruby php npx uvx".split(
    " ",
  ),
);
/** Words after which the next word says what runs, as in `npm run build`. */
const RUNS = new Set(["run", "exec", "x", "dlx"]);

/**
 * Suggests the beginning of a command that a rule could allow: the program and its subcommand, such as `npm
 * test`; the whole command for programs that run anything. Returns an empty text for a command that no rule
 * with a prefix allows, because it may chain another one.
 */
export function suggestPrefix(command: string): string {
  const trimmed = trimCommand(command);
  if (shellOperatorIn(trimmed) !== null) return "";
  const words = trimmed.split(/[ \t]+/);
  const [program = "", subcommand = "", third = ""] = words;
  if (RUNNERS.has(program) || program.includes("=")) return trimmed;
  if (!isPlain(subcommand)) return program;
  const isLong = RUNS.has(subcommand) && third !== "";
  return trimmed.slice(0, endOfWords(trimmed, isLong ? 3 : 2));
}

/** Whether a word is a subcommand rather than a flag, a path or another argument. */
function isPlain(word: string): boolean {
  return /^[a-z][a-z0-9:_-]*$/.test(word);
}

function endOfWords(text: string, count: number): number {
  return (new RegExp(`^([^ \\t]+[ \\t]+){${count - 1}}[^ \\t]+`).exec(text)?.[0] ?? text).length;
}
