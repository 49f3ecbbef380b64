import type { EventOf, ResultBlock } from "@berth/contract";
import type { ImageBlock, TextBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { storableText, truncateMiddle } from "../prompts/text.ts";
import type { ToolResultEvent } from "./call-events.ts";

/**
 * Converts the result of a call for the model. `maxLength` limits the characters of text in a client's
 * result; the service's own results are truncated before they are logged.
 */
export function resultBlocks(event: ToolResultEvent, maxLength: number): (TextBlock | ImageBlock)[] {
  return event.type === "user.custom_tool_result"
    ? clientContent(event, maxLength)
    : event.content.map(resultBlock);
}

/** Truncates the texts and drops blank ones: providers reject blank texts and empty results. */
function clientContent(
  { content }: EventOf<"user.custom_tool_result">,
  maxLength: number,
): (TextBlock | ImageBlock)[] {
  let room = maxLength;
  const blocks = content.flatMap((block): (TextBlock | ImageBlock)[] => {
    if (block.type === "image") return [resultBlock(block)];
    const text = storableText(block.text);
    if (text.trim() === "") return [];
    const kept = truncateMiddle(text, room);
    room = Math.max(0, room - kept.length);
    return [{ type: "text", text: kept }];
  });
  return blocks.length > 0 ? blocks : [{ type: "text", text: notes.EMPTY_RESULT }];
}

function resultBlock(block: ResultBlock): TextBlock | ImageBlock {
  if (block.type === "text") return block;
  return { type: "image", mediaType: block.source.media_type, data: block.source.data };
}
