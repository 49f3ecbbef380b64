import { z } from "zod";
import { fileGlobs, globProblem } from "./file-globs.ts";
import { kibibytes, linesWithin } from "./result-form.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import { defineTool, failure, type Tool, type ToolContext, type ToolResult, textResult } from "./tool.ts";
import { pathInput, workspacePath } from "./workspace-file.ts";

const noNul = (text: string) => !text.includes("\0");
const lines = z.int().min(0).max(1_000);

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .refine(noNul, "A pattern has no NUL character.")
    .describe("Regular expression, as of ripgrep."),
  path: pathInput.optional().describe("File or folder; default /data."),
  glob: pathInput.optional().describe("Only files that match, such as *.ts."),
  type: z
    .string()
    .regex(/^[a-z0-9+-]+$/i)
    .optional()
    .describe("Only files of a type that ripgrep knows, such as js, py, rust."),
  output_mode: z
    .enum(["files_with_matches", "content", "count"])
    .optional()
    .describe("Default files_with_matches."),
  "-i": z.boolean().optional().describe("Ignore case."),
  "-n": z.boolean().optional().describe("Line numbers in content; default true."),
  "-A": lines.optional().describe("Lines after each match in content."),
  "-B": lines.optional().describe("Lines before each match in content."),
  "-C": lines.optional().describe("Lines around each match in content."),
  head_limit: z.int().min(1).optional().describe("At most so many lines of the result."),
  multiline: z.boolean().optional().describe("Let the pattern reach over lines, and let . match line ends."),
});

export const grep = (maxBytes: number): Tool =>
  defineTool({
    name: "Grep",
    description: `Searches files with ripgrep. Answers with the names of files that match, newest first; with matching lines (output_mode content); or with counts; up to ${kibibytes(maxBytes)}. Leaves out what .gitignore names, and .git. Lines longer than 2,000 characters are cut.`,
    input,
    readsOnly: true,
    async run(given, context) {
      const target = workspacePath(given.path ?? ".");
      const outcome = await runRipgrep(context, {
        arguments: [...argumentsOf(given), "--regexp", given.pattern, "--", target],
        cwd: target,
        maxOutputBytes: 4 * 1_048_576,
      });
      if (outcome.type === "stopped") return outcome.result;
      if (outcome.code === 40) return failure(`${target} does not exist.`);
      const split = outcome.output.lastIndexOf(0);
      const found = outcome.output.subarray(0, split).toString("utf8").replace(/\n$/, "");
      const errors = outcome.output
        .subarray(split + 1)
        .toString("utf8")
        .trim();
      if (found !== "") return shown(found, given.head_limit, maxBytes);
      if (outcome.code !== 1) return failure(errors || "ripgrep failed.");
      const problem = given.glob === undefined ? null : globProblem(given.glob);
      if (problem !== null) return failure(problem);
      return textResult((await selectsNothing(given, target, context)) ?? "No matches.");
    },
  });

/** Returns a sentence about filters that select no file; null when they select some, or there are none. */
async function selectsNothing(
  given: z.output<typeof input>,
  target: string,
  context: ToolContext,
): Promise<string | null> {
  if (given.glob === undefined && given.type === undefined) return null;
  const outcome = await runRipgrep(context, {
    arguments: ["--files", "--hidden", "--null", ...filters(given), "--", target],
    cwd: target,
    maxOutputBytes: 8_192,
    firstNames: 1,
  });
  if (outcome.type === "stopped" || outcome.output.subarray(0, -1).includes(0)) return null;
  const named = [
    ...(given.glob === undefined ? [] : [`the glob '${given.glob}'`]),
    ...(given.type === undefined ? [] : [`the type ${given.type}`]),
  ];
  return `Nothing was searched: in ${target} no file is selected by ${named.join(" and ")}.`;
}

function argumentsOf(given: z.output<typeof input>): string[] {
  const mode = given.output_mode ?? "files_with_matches";
  const list = ["--hidden", "--color", "never"];
  const add = (condition: unknown, ...more: string[]) => void (condition && list.push(...more));
  add(mode === "files_with_matches", "--files-with-matches", "--sortr", "modified");
  add(mode === "count", "--count", "--with-filename", "--sort", "path");
  add(mode === "content", "--heading", "--with-filename", "--sort", "path");
  add(mode === "content", "--max-columns", "2000", "--max-columns-preview");
  add(mode === "content" && given["-n"] !== false, "--line-number");
  for (const flag of ["-A", "-B", "-C"] as const) {
    add(mode === "content" && given[flag] !== undefined, flag, String(given[flag]));
  }
  add(given["-i"], "--ignore-case");
  add(given.multiline, "--multiline", "--multiline-dotall");
  return [...list, ...filters(given)];
}

/** Returns the arguments that select files. The last glob wins, so that .git stays excluded. */
function filters({ glob, type }: z.output<typeof input>): string[] {
  const isExclusion = glob?.startsWith("!") ?? false;
  const globs = glob === undefined ? [] : isExclusion ? [glob] : fileGlobs(glob);
  return [
    ...globs.flatMap((one) => ["--glob", one]),
    ...(type === undefined ? [] : ["--type", type]),
    ...["--glob", "!**/.git"],
  ];
}

function shown(found: string, headLimit: number | undefined, maxBytes: number): ToolResult {
  const all = found.split("\n");
  const chosen = headLimit === undefined ? all : all.slice(0, headLimit);
  const kept = linesWithin(chosen, maxBytes);
  const omitted = all.length - kept.length;
  const way = kept.length < chosen.length ? " Search a narrower path, glob or pattern." : "";
  const note = omitted === 0 ? [] : [`[${omitted} more lines are not shown.${way}]`];
  const long = kept.some((line) => CUT_LINE.test(line)) ? [LONG_LINES] : [];
  return textResult([...kept, ...long, ...note].join("\n"));
}

/** Matches a line that ripgrep cut. */
const CUT_LINE = /^.{500}.* \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/su;
const LONG_LINES = "[Long lines are cut. Use Bash for the rest, such as grep -o.]";
