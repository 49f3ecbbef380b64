import type { EventOf, MessageBlock } from "@berth/contract";
import type { DocumentBlock, ImageBlock, TextBlock, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { storableText } from "../prompts/text.ts";
import type { MessageFiles } from "./message-files.ts";

type Message = EventOf<"user.message">;
type Document = Extract<MessageBlock, { type: "document" }>;

/**
 * Converts a user's message for the model. Adjacent texts are joined into one block. Providers reject blank
 * texts, so a message that is entirely blank becomes a note.
 */
export function messageBlocks(event: Message, files: MessageFiles): UserBlock[] {
  const blocks: UserBlock[] = [];
  let texts: string[] = [];
  const endText = () => {
    const text = texts.join("\n\n");
    if (text.trim() !== "") blocks.push({ type: "text", text });
    texts = [];
  };
  for (const block of event.content) {
    if (block.type === "text") {
      texts.push(storableText(block.text));
      continue;
    }
    endText();
    blocks.push(
      ...(block.type === "image" ? [imageBlock(block.source, files)] : documentBlocks(block, files)),
    );
  }
  endText();
  return blocks.length > 0 ? blocks : [{ type: "text", text: notes.BLANK_MESSAGE }];
}

/** Returns the text of a message, with a placeholder for each image and document. */
export function textOf(blocks: readonly UserBlock[]): string {
  return blocks
    .map((block) => (block.type === "text" ? block.text : notes.omittedMedia(block.mediaType)))
    .join("\n\n");
}

/** Converts an operator's message to a text block for the model. */
export function operatorBlock(event: EventOf<"system.message">): TextBlock {
  const text = event.content.map((block) => storableText(block.text)).join("\n\n");
  return { type: "text", text: notes.operatorMessage(text) };
}

function imageBlock(
  source: Extract<MessageBlock, { type: "image" }>["source"],
  files: MessageFiles,
): ImageBlock | TextBlock {
  if (source.type === "base64") return { type: "image", mediaType: source.media_type, data: source.data };
  const file = files.get(source.file_id);
  return file?.type === "image" ? file : { type: "text", text: notes.unreadableFile(source.file_id) };
}

function documentBlocks(
  { source, title = null, context = null }: Document,
  files: MessageFiles,
): UserBlock[] {
  const content = documentContent(source, files);
  if (content.type === "text") {
    return [{ type: "text", text: notes.textDocument(title, context, content.text) }];
  }
  const head = notes.documentHead(title, context);
  return head === null ? [content] : [{ type: "text", text: storableText(head) }, content];
}

function documentContent(source: Document["source"], files: MessageFiles): TextBlock | DocumentBlock {
  if (source.type === "text") return { type: "text", text: storableText(source.data) };
  if (source.type === "base64") {
    if (source.media_type === "application/pdf") {
      return { type: "document", mediaType: source.media_type, data: source.data };
    }
    return { type: "text", text: storableText(Buffer.from(source.data, "base64").toString()) };
  }
  const file = files.get(source.file_id);
  return file === undefined || file === null || file.type === "image"
    ? { type: "text", text: notes.unreadableFile(source.file_id) }
    : file;
}
