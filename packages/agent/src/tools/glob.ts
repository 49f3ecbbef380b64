import { posix } from "node:path";
import { z } from "zod";
import { runRipgrep } from "./run-ripgrep.ts";
import { defineTool, failure, textResult } from "./tool.ts";
import { pathInput, workspacePath } from "./workspace-file.ts";

const MAX_NAMES = 200;

export const glob = defineTool({
  name: "Glob",
  description:
    "Finds files by a pattern such as **/*.ts or src/**/*.{js,json}, newest first, at most 200. A pattern without a slash matches at any depth. Hidden and ignored files count; .git does not.",
  input: z.strictObject({
    pattern: pathInput.describe("Glob pattern, from path; or absolute."),
    path: pathInput.optional().describe("Folder to look in; default /data."),
  }),
  async run({ pattern, path }, context) {
    const search = split(pattern, workspacePath(path ?? "."));
    const outcome = await runRipgrep(context, {
      arguments: [
        ...["--files", "--hidden", "--no-ignore", "--null", "--sortr", "modified"],
        ...["--glob", search.pattern, "--glob", "!**/.git"],
      ],
      cwd: search.folder,
      maxOutputBytes: 1_048_576,
      firstNames: MAX_NAMES + 1,
    });
    if (outcome.type === "stopped") return outcome.result;
    if (outcome.code === 40) return failure(`${search.folder} is not a folder.`);
    const parts = outcome.output.toString("utf8").split("\0");
    const names = parts.slice(0, -2).map((name) => posix.join(search.folder, name));
    const errors = parts.at(-1)?.trim() ?? "";
    if (names.length > 0) return textResult(nameList(names));
    return errors === "" ? textResult("No files match.") : failure(errors);
  },
});

/** An absolute pattern is searched from the folder before its first wildcard. A leading `!` is escaped: it would exclude. */
function split(pattern: string, folder: string): { folder: string; pattern: string } {
  const escaped = pattern.startsWith("!") ? `\\${pattern}` : pattern;
  if (!posix.isAbsolute(pattern)) return { folder, pattern: escaped.replace(/^(\.\/)+/, "") };
  const segments = pattern.split("/");
  const wild = segments.findIndex((segment) => /[*?[{]/.test(segment));
  const cut = wild < 0 ? segments.length - 1 : wild;
  return { folder: segments.slice(0, cut).join("/") || "/", pattern: `/${segments.slice(cut).join("/")}` };
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join("\n");
  return names.length > MAX_NAMES ? `${shown}\n[Only the newest ${MAX_NAMES} are shown.]` : shown;
}
