import { z } from "zod";
import { countOf, defineTool, failure, type ToolContext, type ToolResult, textResult } from "./tool.ts";
import { pathInput, readFile, serializeChanges, workspacePath, writeFile } from "./workspace-file.ts";

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
    "Replaces a text in a file. old_string must occur just once, so take enough lines around it, or give replace_all. Everything else stays as it is, byte by byte. Where lines end in CR LF, write them here with plain line ends.",
  input,
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
  const written = await writeFile(context, path, bytes);
  if ("result" in written) return written.result;
  return textResult(`Edited ${path}: ${countOf(count, "replacement")}.`);
}

/**
 * Replaces every occurrence of a text, in bytes of any encoding. If the text is not found and the file has CR LF line ends,
 * both texts are converted to CR LF first.
 */
function replaceText(bytes: Buffer, oldText: string, newText: string): { bytes: Buffer; count: number } {
  const exact = replaceBytes(bytes, Buffer.from(oldText), Buffer.from(newText));
  if (exact.count > 0 || !oldText.includes("\n") || !bytes.includes("\r\n")) return exact;
  return replaceBytes(bytes, Buffer.from(withCrLf(oldText)), Buffer.from(withCrLf(newText)));
}

function replaceBytes(bytes: Buffer, old: Buffer, replacement: Buffer): { bytes: Buffer; count: number } {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, from)) {
    parts.push(bytes.subarray(from, at), replacement);
    from = at + old.length;
  }
  parts.push(bytes.subarray(from));
  return { bytes: Buffer.concat(parts), count: (parts.length - 1) / 2 };
}

function withCrLf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
