import type { Upload } from "../../../api/use-uploads.ts";
import { uploadPath } from "../../../format/upload-path.ts";

type Block =
  | { type: "text"; text: string }
  | { type: "image" | "document"; source: { type: "file"; file_id: string } };

/** The content of a message, and the files that are mounted because no model reads their type. */
export type Message = { content: Block[]; mounts: { file_id: string; mount_path: string }[] };

/**
 * Builds a message. The model reads images, PDFs and text itself; other files are mounted, and the text gives
 * their paths.
 */
export function messageOf(text: string, uploads: readonly Upload[]): Message {
  const content: Block[] = [];
  const mounts: Message["mounts"] = [];
  for (const { file, name } of uploads) {
    if (file === null) continue;
    const type = blockType(file.mime_type);
    if (type !== null) content.push({ type, source: { type: "file", file_id: file.id } });
    else mounts.push({ file_id: file.id, mount_path: uploadPath(file.id, name) });
  }
  const places = mounts.map(({ mount_path }) => `Attached file: ${mount_path}`);
  const whole = [text.trim(), ...places].filter(Boolean).join("\n");
  return { content: whole === "" ? content : [{ type: "text", text: whole }, ...content], mounts };
}

function blockType(mimeType: string | null | undefined): "image" | "document" | null {
  if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType ?? "")) return "image";
  return /^(application\/pdf|text\/plain)$/.test(mimeType ?? "") ? "document" : null;
}
