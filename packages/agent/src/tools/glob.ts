import { posix } from "node:path";
import { z } from "zod";
import { fileGlobs, globProblem } from "./file-globs.ts";
import { runScript, toolScript } from "./run-script.ts";
import { defineTool, failure, type Tool, type ToolContext, type ToolResult, textResult } from "./tool.ts";
import { pathInput, workspacePath } from "./workspace-file.ts";

const MAX_NAMES = 200;
const ENTER_FOLDERS = toolScript("enter-folders");
const FIND_FILES = toolScript("find-files");

export const glob: Tool = defineTool({
  name: "Glob",
  description:
    "Finds files by a pattern such as **/*.ts or src/**/*.{js,json}, newest first, at most 200. A pattern without a slash matches at any depth. Hidden and ignored files count; .git does not. Symbolic links to files are listed as name -> target; folders behind links are searched if the pattern begins with their path.",
  input: z.strictObject({
    pattern: pathInput.describe("Glob pattern, from path; or absolute."),
    path: pathInput.optional().describe("Folder to look in; default /data."),
  }),
  readsOnly: true,
  async run({ pattern, path }, context) {
    const search = await enterFolders(context, pattern, workspacePath(path ?? "."));
    return "result" in search ? search.result : await findFiles(context, search);
  },
});

interface Search {
  folder: string;
  /** The pattern relative to the folder. */
  pattern: string;
  /** Whether the pattern matches at any depth. */
  anywhere: boolean;
  /** The kind of thing that the pattern, taken literally, refers to. */
  names: "folder" | "file" | "nothing";
}

/** Enters the folders that the pattern begins with; the search starts in the last of them. */
async function enterFolders(
  context: ToolContext,
  given: string,
  from: string,
): Promise<Search | { result: ToolResult }> {
  const isAbsolute = posix.isAbsolute(given);
  const folder = isAbsolute ? "/" : from;
  const pattern = given.replaceAll(/\/+/g, "/").replace(/^(\.?\/)+/, "");
  const variables = { FOLDER: folder, REST: pattern };
  const outcome = await runScript(context, { script: ENTER_FOLDERS, variables });
  if (outcome.type === "stopped") return { result: outcome.result };
  if (outcome.code === 39)
    return { result: failure(`${folder} is a file. Give the folder that it is in as path.`) };
  if (outcome.code === 40) return { result: failure(`${folder} is not a folder.`) };
  const [count = "0", names = "nothing"] = outcome.output.toString().trim().split(" ");
  const parts = pattern.split("/");
  const entered = Number(count);
  const next = parts[entered] ?? "";
  if (entered < parts.length - 1 && !/[*?[{\\]/.test(next)) {
    const missing = posix.join(folder, ...parts.slice(0, entered + 1));
    return { result: failure(`No files match: ${missing} is not a folder.`) };
  }
  return {
    folder: posix.join(folder, ...parts.slice(0, entered)),
    pattern: parts.slice(entered).join("/"),
    anywhere: parts.length === 1 && !isAbsolute,
    names: names === "folder" || names === "file" ? names : "nothing",
  };
}

async function findFiles(context: ToolContext, search: Search): Promise<ToolResult> {
  const { folder, pattern, anywhere } = search;
  // A leading `!` would exclude files.
  const globs = fileGlobs(pattern).map((one) => (anywhere ? one.replace(/^!/, "\\!") : `/${one}`));
  const outcome = await runScript(context, {
    script: FIND_FILES,
    variables: {
      FOLDER: folder,
      FIRST: String(MAX_NAMES + 1),
      COUNT: String(globs.length),
      ...Object.fromEntries(globs.map((one, index) => [`GLOB_${index + 1}`, one])),
    },
    timeoutMs: 60_000,
    maxOutputBytes: 4 * 1_048_576,
  });
  if (outcome.type === "stopped") return outcome.result;
  if (outcome.code === 40) return failure(`${folder} is not a folder.`);
  const parts = outcome.output.toString("utf8").split("\0");
  const errors = parts.at(-1)?.trim() ?? "";
  const names: string[] = [];
  for (let at = 0; at + 1 < parts.length - 1; at += 2) {
    const target = parts[at + 1] ?? "";
    names.push(`${posix.join(folder, parts[at] ?? "")}${target === "" ? "" : ` -> ${target}`}`);
  }
  return names.length > 0 ? textResult(nameList(names)) : noFiles(search, errors);
}

function noFiles({ folder, pattern, names }: Search, errors: string): ToolResult {
  const problem = errors === "" ? globProblem(pattern) : errors;
  if (problem !== null) return failure(problem);
  if (names === "folder") {
    const found = posix.join(folder, pattern);
    return failure(`${found} is a folder. Use ${posix.join(found, "**")} for the files in it.`);
  }
  return textResult("No files match.");
}

function nameList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join("\n");
  return names.length > MAX_NAMES
    ? `${shown}\n[Only the newest ${MAX_NAMES} are shown. Use a narrower pattern or path.]`
    : shown;
}
