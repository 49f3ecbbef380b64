import type { ImageBlock, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import type { Memo } from "./log-entry.ts";

/**
 * Returns the content of the one message that a compacted history begins with. It has the summary, the user's
 * earlier messages, the changed files, the newest results, and the user's newest message with its images. If
 * no response was due, the model's last answer follows.
 */
export function compactedContent(memo: Memo | null, images: readonly ImageBlock[]): UserBlock[] {
  const { text = "", messages = [], files = [], results, kept, keeps_images, answer } = memo ?? {};
  return [
    textBlock(notes.summaryOf(text)),
    ...(messages.length === 0 ? [] : [textBlock(notes.earlierMessages(messages))]),
    ...(files.length === 0 ? [] : [textBlock(notes.changedFiles(files))]),
    ...(results === undefined ? [] : [textBlock(notes.newestResults(results))]),
    ...(kept === undefined ? [] : [textBlock(kept)]),
    ...(keeps_images === true ? images : []),
    ...(answer === undefined ? [] : [textBlock(notes.lastAnswer(answer))]),
  ];
}

function textBlock(text: string): UserBlock {
  return { type: "text", text };
}
