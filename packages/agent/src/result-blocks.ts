import type { EventOf, ResultBlock } from "@berth/contract";
import type { ResultEvent } from "./call-events.ts";
import type { ImageBlock, TextBlock } from "./model.ts";
import * as notes from "./notes.ts";
import { storableText } from "./storable.ts";

/** The result of a call as the model reads it. */
export function resultBlocks(event: ResultEvent): (TextBlock | ImageBlock)[] {
  return event.type === "user.custom_tool_result" ? clientContent(event) : event.content.map(resultBlock);
}

/** Providers refuse blank texts and results of nothing. */
function clientContent({ content }: EventOf<"user.custom_tool_result">): (TextBlock | ImageBlock)[] {
  const blocks = content.map((block) =>
    block.type === "text" ? { ...block, text: storableText(block.text) } : resultBlock(block),
  );
  const told = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  return told.length > 0 ? told : [{ type: "text", text: notes.emptyResult }];
}

function resultBlock(block: ResultBlock): TextBlock | ImageBlock {
  if (block.type === "text") return block;
  return { type: "image", mediaType: block.source.media_type, data: block.source.data };
}
