import { isImageType, mediaFault, mediaTypeOf } from "@berth/contract";
import { z } from "zod";
import { storableText } from "../prompts/text.ts";
import { changedLines, isChangedLines } from "./changed-lines.ts";
import { hidesChanges, isBinary, numberedLines } from "./numbered-lines.ts";
import { kibibytes } from "./result-form.ts";
import {
  defineTool,
  type EarlierCall,
  failure,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from "./tool.ts";
import { digest, type FileRead, filesSeen, pathInput, readFile, workspacePath } from "./workspace-file.ts";

const MAX_WHOLE_BYTES = 262_144;
/** Maximum bytes of an image that providers accept, before base64. */
const MAX_IMAGE_BYTES = 3_750_000;
const DEFAULT_LINES = 2_000;

const input = z
  .strictObject({
    file_path: pathInput.describe("Absolute, or from /data."),
    offset: z.int().min(0).optional().describe("First line, from 1."),
    limit: z.int().min(1).optional().describe("Number of lines; default 2000."),
    view_range: z
      .array(z.int().min(-1))
      .length(2)
      .optional()
      .describe("First and last line, both included, -1 for the end; in place of offset and limit."),
  })
  .refine(
    ({ view_range, offset, limit }) => view_range === undefined || (offset ?? limit) === undefined,
    "Give 'view_range' or 'offset' and 'limit', not both.",
  )
  .refine(({ view_range: [first = 1] = [] }) => first >= 1, "The first line of 'view_range' is 1 or more.")
  .refine(
    ({ view_range: [first = 1, last = -1] = [] }) => last === -1 || last >= first,
    "The last line of 'view_range' comes before its first.",
  );

export const read = (maxBytes: number): Tool =>
  defineTool({
    name: "Read",
    description: `Reads a file. Text comes with line numbers, each with a tab, up to 2,000 lines and ${kibibytes(maxBytes)} unless you ask for others; lines longer than 2,000 characters are cut. A file larger than 256 KiB needs offset and limit, or view_range. Images (png, jpg, gif, webp) come as images.`,
    input,
    readsOnly: true,
    async run(given, context) {
      const path = workspacePath(given.file_path);
      const lines = linesOf(given);
      const mayBeImage = /\.(png|jpe?g|gif|webp)$/i.test(path);
      const file = await readFile(context, path, {
        whole: mayBeImage ? MAX_IMAGE_BYTES : MAX_WHOLE_BYTES,
        // One line more shows whether there are more.
        lines: lines && { ...lines, count: lines.count + 1 },
      });
      if (file.type === "failed") return file.result;
      if (file.part === "whole" && !context.isNested)
        filesSeen(await context.sandbox()).set(path, digest(file.bytes));
      const result = show(path, file, lines ?? ALL, maxBytes);
      return unlessShown(result, path, lines ?? ALL, context);
    },
  });

type Lines = { first: number; count: number };

const ALL: Lines = { first: 1, count: DEFAULT_LINES };
/** Characters from which on a result is worth replacing. */
const MIN_SHOWN = 200;
const UNCHANGED = "(Unchanged since your last Read of these lines, whose result is above.)";

/**
 * Replaces a result by its changes when the model already has an earlier result of the same lines. Both are
 * compared in the form that the log has.
 */
function unlessShown(
  result: ToolResult,
  path: string,
  lines: Lines,
  { earlier, mask = (text) => text }: ToolContext,
): ToolResult {
  const [shown] = result.content;
  if (result.isError || shown?.type !== "text" || shown.text.length < MIN_SHOWN) return result;
  if (hidesChanges(shown.text)) return result;
  const now = storableText(mask(shown.text));
  let newest: string | undefined;
  for (const call of earlier?.("Read") ?? []) {
    if (call.text === UNCHANGED || !isOfLines(call.input, path, lines)) continue;
    newest ??= call.text;
    if (isChangedLines(call.text)) continue;
    const text = call.text === now ? null : changedLines(call.text, now);
    return newest === (text ?? now) ? textResult(UNCHANGED) : text === null ? result : textResult(text);
  }
  return result;
}

function isOfLines(given: EarlierCall["input"], path: string, lines: Lines): boolean {
  const { data } = input.safeParse(given);
  if (data === undefined || workspacePath(data.file_path) !== path) return false;
  const { first, count } = linesOf(data) ?? ALL;
  return first === lines.first && count === lines.count;
}

function linesOf({ offset, limit, view_range }: z.output<typeof input>): Lines | undefined {
  if (view_range !== undefined) {
    const [first = 1, last = -1] = view_range;
    return { first, count: last === -1 ? DEFAULT_LINES : last - first + 1 };
  }
  if (offset === undefined && limit === undefined) return undefined;
  return { first: Math.max(1, offset ?? 1), count: limit ?? DEFAULT_LINES };
}

function show(
  path: string,
  file: Extract<FileRead, { type: "file" }>,
  lines: Lines,
  maxBytes: number,
): ToolResult {
  const media = mediaTypeOf(file.bytes);
  const image = media !== null && isImageType(media) ? media : null;
  if (image !== null && file.part === "whole" && file.size <= MAX_IMAGE_BYTES) {
    const fault = mediaFault(file.bytes);
    if (fault !== null) return failure(`${path} ${fault}. Use Bash to look into it or to convert it.`);
    const source = { type: "base64" as const, media_type: image, data: file.bytes.toString("base64") };
    return { content: [{ type: "image", source }], isError: false };
  }
  if (image !== null) {
    return failure(
      `${path} is an image of ${file.size} bytes; at most ${MAX_IMAGE_BYTES} can be shown. Use Bash to make it smaller.`,
    );
  }
  if (isBinary(file.bytes)) {
    return failure(`${path} is a binary file of ${file.size} bytes. Use Bash to look into it.`);
  }
  if (file.part === "head") {
    return failure(
      `${path} has ${file.size} bytes, more than ${MAX_WHOLE_BYTES}. Read a part of it with offset and limit, or search it with Grep.`,
    );
  }
  return numberedLines(file, lines, maxBytes);
}
