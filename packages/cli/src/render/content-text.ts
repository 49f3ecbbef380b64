import type { EventOf } from "@berth/sdk";
import { plainText } from "../terminal/plain-text.ts";

type Content = (EventOf<"agent.tool_result"> | EventOf<"user.message">)["content"][number];

/** Returns content as text, with a placeholder for each image and document. */
export function textOf(content: readonly Content[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${nameOf(block)}]`)).join("\n");
}

/** Returns a name such as `image image/png` or `document file_…`. */
function nameOf({ type, source }: Exclude<Content, { type: "text" }>): string {
  return `${type} ${source.type === "file" ? source.file_id : source.media_type}`;
}

/** Returns the text of a stored message as it is printed. */
export function wholeText({ content }: EventOf<"agent.message">): string {
  return plainText(content.map((block) => block.text).join("\n")).trim();
}
