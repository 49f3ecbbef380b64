import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  ModelMessage,
  ModelRequest,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "../model.ts";
import { withOwnReasoning } from "./reasoning-field.ts";
import type { Prompt, PromptMessage, ProviderOptions } from "./types.ts";

/** The place for the images of a tool result: in the result, in a user message after it, or nowhere. */
export type ImagePlacement = "result" | "message" | "none";

/** The media that a model accepts besides text. */
export interface SupportedMedia {
  images: ImagePlacement;
  documents: boolean;
}

/** The provider and model that a prompt is for. */
export interface Receiver extends SupportedMedia {
  /** The provider's name. */
  provider: string;
}

type AssistantPart = Extract<PromptMessage, { role: "assistant" }>["content"][number];
type UserPart = Extract<PromptMessage, { role: "user" }>["content"][number];
type ToolPart = Extract<PromptMessage, { role: "tool" }>["content"][number];
type ToolOutput = Extract<ToolPart, { type: "tool-result" }>["output"];

/** Converts a request deterministically: a longer history's prompt begins with that of a shorter one. */
export function toPrompt(request: ModelRequest, receiver: Receiver): Prompt {
  return [
    ...(hasText(request.system) ? [{ role: "system" as const, content: request.system }] : []),
    ...request.messages.flatMap((message) => toMessages(message, receiver)),
  ];
}

function toMessages(message: ModelMessage, receiver: Receiver): PromptMessage[] {
  if (message.content.length === 0) return [];
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userParts(message.content, receiver) }];
    case "assistant":
      return [
        withOwnReasoning(
          { role: "assistant", content: message.content.map(assistantPart) },
          receiver.provider,
        ),
      ];
    case "tool":
      return toolMessages(message.content, receiver.images);
  }
}

/** Converts user blocks without blank texts, since providers reject any history that has them. */
function userParts(blocks: readonly UserBlock[], media: SupportedMedia): UserPart[] {
  const parts = blocks.flatMap((block) => userPart(block, media));
  return parts.length === 0 ? [{ type: "text", text: "(no text)" }] : parts;
}

function userPart(block: UserBlock, media: SupportedMedia): UserPart[] {
  if (block.type === "text") return hasText(block.text) ? [{ type: "text", text: block.text }] : [];
  const supported = block.type === "image" ? media.images !== "none" : media.documents;
  return [supported ? filePart(block) : { type: "text", text: mediaNote(block) }];
}

function assistantPart(block: AssistantBlock): AssistantPart {
  const options = block.opaque === undefined ? {} : { providerOptions: block.opaque as ProviderOptions };
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...options };
    case "thinking":
      return { type: "reasoning", text: block.text, ...options };
    case "tool_call":
      return {
        type: "tool-call",
        toolCallId: block.id,
        toolName: block.name,
        input: block.input,
        ...options,
      };
  }
}

function toolMessages(results: readonly ToolResultBlock[], images: ImagePlacement): PromptMessage[] {
  const content = results.map((result) => ({
    type: "tool-result" as const,
    toolCallId: result.id,
    toolName: result.name,
    output: toolOutput(result, images),
  }));
  const after = results.filter((result) => imagePlacement(result, images) === "message").flatMap(imageParts);
  return [
    { role: "tool", content },
    ...(after.length === 0 ? [] : [{ role: "user" as const, content: after }]),
  ];
}

/** Returns where the images go. An error result can only be text, so its images follow it. */
function imagePlacement(result: ToolResultBlock, images: ImagePlacement): ImagePlacement {
  return result.isError && images === "result" ? "message" : images;
}

function toolOutput(result: ToolResultBlock, images: ImagePlacement): ToolOutput {
  const placement = imagePlacement(result, images);
  if (placement === "result" && result.content.some(isImage)) {
    const value = result.content.filter((block) => isImage(block) || hasText(block.text));
    return {
      type: "content",
      value: value.map((block) => (isImage(block) ? filePart(block) : { ...block })),
    };
  }
  const value = result.content
    .map((block) => (isImage(block) ? imageNote(block, placement) : block.text))
    .join("\n");
  return { type: result.isError ? "error-text" : "text", value };
}

function imageNote(image: ImageBlock, placement: ImagePlacement): string {
  return placement === "message" ? `[${image.mediaType} image: in the next message]` : mediaNote(image);
}

function mediaNote({ type, mediaType }: ImageBlock | DocumentBlock): string {
  return `[${mediaType} ${type} left out: this model is not set up to take ${type}s]`;
}

function imageParts(result: ToolResultBlock): UserPart[] {
  return result.content
    .filter(isImage)
    .flatMap((image): UserPart[] => [
      { type: "text", text: `Image from the result of ${result.name} (${result.id}):` },
      filePart(image),
    ]);
}

function filePart({ mediaType, data }: ImageBlock | DocumentBlock) {
  return { type: "file" as const, mediaType, data: { type: "data" as const, data } };
}

function isImage(block: TextBlock | ImageBlock): block is ImageBlock {
  return block.type === "image";
}

function hasText(text: string): boolean {
  return text.trim() !== "";
}
