import { isDeepStrictEqual } from "node:util";
import type { ResultBlock } from "@berth/contract";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { truncateMiddle } from "../prompts/text.ts";
import { isObject } from "../tool-schemas/json-schema.ts";
import type { ToolResult } from "../tools/tool.ts";
import { type ContentPart, contentParts, resourcePart } from "./mcp-content.ts";
import { setAside, setAsideList } from "./set-aside.ts";

/** Limits of one result in the log: characters of text, parts, images, bytes of all images, and files. */
const MAX_TEXT_LENGTH = 100_000;
const MAX_PARTS = 200;
const MAX_IMAGES = 8;
const MAX_IMAGE_BYTES = 3_750_000;
const MAX_FILES = 16;

/** Functions for storing a result that exceeds the limits. */
export interface Overflow {
  /** Masks the session's secrets. Texts are masked before they are cut: half a secret would not be found. */
  mask(text: string): string;
  /** Stores bytes in a file for the model. Returns its path; null when they cannot be stored. */
  keep(bytes: Uint8Array, extension: string): Promise<string | null>;
}

/**
 * Converts a result of an MCP server for the log: text, and images that models accept. Content that exceeds
 * the limits, or that a model cannot be shown, is stored in files that the result names.
 */
export async function mcpResult(result: CallToolResult, overflow: Overflow): Promise<ToolResult> {
  const parts = contentParts(setAsideList(result, "content"));
  const structuredContent = setAside(result, "structuredContent");
  if (structuredContent !== undefined && !isSaid(parts, structuredContent)) {
    parts.push({ type: "text", text: JSON.stringify(structuredContent) });
  }
  const content = await limitedBlocks(parts, overflow);
  if (content.length === 0) content.push(text("(The tool answered nothing.)"));
  return { content, isError: result.isError === true };
}

/** Converts the contents of a resource in the same way. */
export async function resourceResult(contents: readonly unknown[], overflow: Overflow): Promise<ToolResult> {
  const content = await limitedBlocks(contents.map(resourcePart), overflow);
  if (content.length === 0) content.push(text("(The resource is empty.)"));
  return { content, isError: false };
}

/** Converts parts to blocks for the log. */
async function limitedBlocks(parts: readonly ContentPart[], overflow: Overflow): Promise<ResultBlock[]> {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const length = texts.reduce((sum, one) => sum + one.length, 0);
  const isLong = length > MAX_TEXT_LENGTH || texts.length > MAX_PARTS;
  const blocks: ResultBlock[] = isLong ? await cutText(texts.join("\n"), overflow) : [];
  const media = new Media(overflow);
  for (const part of parts) {
    if (part.type !== "text") blocks.push(...(await media.blocks(part)));
    else if (!isLong) blocks.push(text(part.text));
  }
  return [...blocks, ...media.rest()];
}

async function cutText(given: string, { mask, keep }: Overflow): Promise<ResultBlock[]> {
  const whole = mask(given);
  const path = await keep(Buffer.from(whole), "txt");
  const kept = path === null ? [] : [text(`[The whole answer is kept in ${path}.]`)];
  return [text(truncateMiddle(whole, MAX_TEXT_LENGTH)), ...kept];
}

/** Converts images within the limits to image blocks; stores other images and bytes as files. */
class Media {
  readonly #overflow: Overflow;
  #images = 0;
  #imageBytes = 0;
  #files = 0;
  #left = 0;

  constructor(overflow: Overflow) {
    this.#overflow = overflow;
  }

  async blocks(part: Exclude<ContentPart, { type: "text" }>): Promise<ResultBlock[]> {
    const { bytes, what } = part;
    const fits = this.#images < MAX_IMAGES && this.#imageBytes + bytes.length <= MAX_IMAGE_BYTES;
    if (part.type === "image" && fits) {
      this.#images += 1;
      this.#imageBytes += bytes.length;
      const source = { type: "base64" as const, media_type: part.mediaType, data: bytes.toString("base64") };
      return [{ type: "image", source }];
    }
    this.#files += 1;
    if (this.#files > MAX_FILES) {
      this.#left += 1;
      return [];
    }
    const path = await this.#write(
      bytes,
      part.type === "image" ? part.mediaType.replace("image/", "") : "bin",
    );
    const why = part.type === "image" ? "is not shown here" : "cannot be shown";
    return [text(`[${what}, ${bytes.length} bytes: ${why}${path === null ? "" : `, kept in ${path}`}.]`)];
  }

  async #write(bytes: Buffer, extension: string): Promise<string | null> {
    const { mask, keep } = this.#overflow;
    return await keep(Buffer.from(mask(bytes.toString("latin1")), "latin1"), extension);
  }

  rest(): ResultBlock[] {
    return this.#left === 0 ? [] : [text(`[${this.#left} more images and files are left out.]`)];
  }
}

/** Returns whether the result's texts contain its structured content: servers often repeat it as JSON. */
function isSaid(parts: readonly ContentPart[], structured: unknown): boolean {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length > MAX_PARTS) return false;
  const values = texts.map(parsed);
  const wrapped =
    isObject(structured) && Object.keys(structured).length === 1 ? structured.result : undefined;
  return [structured, ...(wrapped === undefined ? [] : [wrapped])].some(
    (data) =>
      values.some((value) => isDeepStrictEqual(value, data)) ||
      texts.some((one) => one === data) ||
      isDeepStrictEqual(values, data),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function text(content: string): ResultBlock {
  return { type: "text", text: content };
}
