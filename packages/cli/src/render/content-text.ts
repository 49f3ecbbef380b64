import type { EventOf } from "@berth/sdk";
import { plainText } from "../terminal/plain-text.ts";

type Content = (EventOf<"agent.tool_result"> | EventOf<"user.message">)["content"][number];

/** Content as text; an image or a document is named where it stands. */
export function textOf(content: readonly Content[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${nameOf(block)}]`)).join("\n");
}

/** `image image/png`, `document file_…`. */
function nameOf({ type, source }: Exclude<Content, { type: "text" }>): string {
  return `${type} ${source.type === "file" ? source.file_id : source.media_type}`;
}

/** As a stored message is printed. */
export function wholeText({ content }: EventOf<"agent.message">): string {
  return plainText(content.map((block) => block.text).join("\n")).trim();
}
