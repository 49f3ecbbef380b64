import type { EventOf, ResultBlock } from "@berth/contract";
import type { ImageBlock, TextBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { storableText, truncateMiddle } from "../prompts/text.ts";
import type { ToolResultEvent } from "./call-events.ts";

/**
 * The result of a call as the model reads it. `maxLength`: characters of all texts of a client's result together; those of
 * ours were cut before they entered the log.
 */
export function resultBlocks(event: ToolResultEvent, maxLength: number): (TextBlock | ImageBlock)[] {
  return event.type === "user.custom_tool_result"
    ? clientContent(event, maxLength)
    : event.content.map(resultBlock);
}

/** Providers refuse blank texts and results of nothing. */
function clientContent(
  { content }: EventOf<"user.custom_tool_result">,
  maxLength: number,
): (TextBlock | ImageBlock)[] {
  let room = maxLength;
  const told = content.flatMap((block): (TextBlock | ImageBlock)[] => {
    if (block.type === "image") return [resultBlock(block)];
    const text = storableText(block.text);
    if (text.trim() === "") return [];
    const shown = truncateMiddle(text, room);
    room = Math.max(0, room - shown.length);
    return [{ type: "text", text: shown }];
  });
  return told.length > 0 ? told : [{ type: "text", text: notes.EMPTY_RESULT }];
}

function resultBlock(block: ResultBlock): TextBlock | ImageBlock {
  if (block.type === "text") return block;
  return { type: "image", mediaType: block.source.media_type, data: block.source.data };
}
