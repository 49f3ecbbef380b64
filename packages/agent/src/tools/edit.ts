import { z } from "zod";
import { replaceText } from "./replace-text.ts";
import { countOf, defineTool, failure, type ToolContext, type ToolResult, textResult } from "./tool.ts";
import {
  digest,
  filesSeen,
  pathInput,
  readFile,
  serializeChanges,
  workspacePath,
  writeFile,
} from "./workspace-file.ts";

const MAX_FILE_BYTES = 10 * 1_048_576;

const input = z.strictObject({
  file_path: pathInput.describe("Absolute, or from /data. The file must exist."),
  old_string: z.string().min(1).describe("Text to replace, exactly as in the file, without line numbers."),
  new_string: z.string().describe("Text to put in its place."),
  replace_all: z.boolean().optional().describe("Replace every occurrence; otherwise there must be just one."),
});

export const edit = defineTool({
  name: "Edit",
  description:
    "Replaces a text in a file. old_string must occur just once, so take enough lines around it, or give replace_all. Everything else stays as it is, byte by byte. Where lines end in CR LF, write them here with plain line ends: new lines get the file's.",
  input,
  changesFiles: true,
  async run(given, context) {
    const sandbox = await context.sandbox();
    return await serializeChanges(sandbox, () => editFile(given, context));
  },
});

async function editFile(given: z.output<typeof input>, context: ToolContext): Promise<ToolResult> {
  const path = workspacePath(given.file_path);
  if (given.old_string === given.new_string) {
    return failure("old_string and new_string are the same: nothing to change.");
  }
  const file = await readFile(context, path, { whole: MAX_FILE_BYTES });
  if (file.type === "failed") return file.result;
  if (file.part !== "whole") return failure(`${path} has ${file.size} bytes, too many to edit. Use Bash.`);
  const { bytes, count } = replaceText(file.bytes, given.old_string, given.new_string);
  if (count === 0) {
    return failure(`old_string is not in ${path}. Read the file again: it must match exactly, spaces too.`);
  }
  if (count > 1 && given.replace_all !== true) {
    return failure(
      `old_string is ${count} times in ${path}. Add lines around it until it is unique, or set replace_all.`,
    );
  }
  const seen = filesSeen(await context.sandbox()).get(path);
  const written = await writeFile(context, path, bytes, digest(file.bytes));
  if ("result" in written) return written.result;
  const hasChanged = seen !== undefined && seen !== digest(file.bytes);
  const note = hasChanged ? " It had changed since you read it." : "";
  return textResult(`Edited ${path}: ${countOf(count, "replacement")}.${note}`);
}
