import type { Upload } from "../../../api/use-uploads.ts";
import { uploadPath } from "../../../format/upload-path.ts";

type Block =
  | { type: "text"; text: string }
  | { type: "image" | "document"; source: { type: "file"; file_id: string } };

/** What a message consists of, and the files that the agent gets as files because no model reads them. */
export type Message = { content: Block[]; mounts: { file_id: string; mount_path: string }[] };

/** Images, PDF and text are read by the model itself. Anything else lies in the sandbox, and the text says where. */
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
