import { isImageType, mediaTypeOf, type ResultBlock } from "@berth/contract";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { truncateMiddle } from "../prompts/text.ts";
import type { ToolResult } from "../tools/tool.ts";

/** Limits of one result: characters of text, images, and bytes of each image. */
const MAX_TEXT_LENGTH = 200_000;
const MAX_IMAGES = 8;
const MAX_IMAGE_BYTES = 5 * 1_048_576;

/**
 * Converts a result of an MCP server for the log: text, and images that models accept. Other content is replaced by a note, and
 * so is what exceeds the limits.
 */
export function mcpResult(result: CallToolResult): ToolResult {
  const content = limited(result.content.map(resultBlock));
  if (content.length === 0 && result.structuredContent !== undefined) {
    content.push(text(truncateMiddle(JSON.stringify(result.structuredContent), MAX_TEXT_LENGTH)));
  }
  if (content.length === 0) content.push(text("(The tool answered nothing.)"));
  return { content, isError: result.isError === true };
}

function resultBlock(block: ContentBlock): ResultBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, "image");
    case "audio":
      return text(`[Audio of type ${block.mimeType}, which cannot be shown.]`);
    case "resource_link":
      return text(`[Resource ${block.uri}: ${[block.name, block.description].filter(Boolean).join(", ")}]`);
    case "resource":
      if ("text" in block.resource) return text(`[Resource ${block.resource.uri}]\n${block.resource.text}`);
      return image(block.resource.blob, `Resource ${block.resource.uri} of type ${block.resource.mimeType}`);
    default:
      return text("[Content of a kind that is not known here.]");
  }
}

/** The bytes decide the type, not what the server claims: providers reject a request with an invalid image. */
function image(base64: string, what: string): ResultBlock {
  const bytes = Buffer.from(base64, "base64");
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === null || !isImageType(mediaType))
    return text(`[${what}: ${bytes.length} bytes that cannot be shown.]`);
  if (bytes.length > MAX_IMAGE_BYTES) return text(`[${what}: ${bytes.length} bytes are too many to show.]`);
  const source = { type: "base64" as const, media_type: mediaType, data: bytes.toString("base64") };
  return { type: "image", source };
}

function limited(blocks: readonly ResultBlock[]): ResultBlock[] {
  let remaining = MAX_TEXT_LENGTH;
  let images = 0;
  const kept: ResultBlock[] = [];
  for (const [index, block] of blocks.entries()) {
    if (remaining <= 0 || images >= MAX_IMAGES) {
      kept.push(text(`[${blocks.length - index} more parts of the answer are left out.]`));
      break;
    }
    if (block.type === "text") {
      const shown = truncateMiddle(block.text, remaining);
      remaining -= shown.length;
      kept.push(text(shown));
    } else {
      images += 1;
      kept.push(block);
    }
  }
  return kept;
}

function text(content: string): ResultBlock {
  return { type: "text", text: content };
}
