import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upload } from "../../../api/use-uploads.ts";
import { messageOf } from "./message-blocks.ts";

const upload = (name: string, mime_type: string) =>
  ({ name, key: name, file: { id: `file_${name}`, mime_type } }) as unknown as Upload;

test("images and documents are blocks; other files are mounted, and the text says where", () => {
  const { content, mounts } = messageOf(" Look ", [
    upload("a", "image/png"),
    upload("b", "application/pdf"),
    upload("c d.zip", "application/zip"),
  ]);
  const path = "/mnt/session/uploads/file_c d.zip/c_d.zip";
  assert.deepEqual(content, [
    { type: "text", text: `Look\nAttached file: ${path}` },
    { type: "image", source: { type: "file", file_id: "file_a" } },
    { type: "document", source: { type: "file", file_id: "file_b" } },
  ]);
  assert.deepEqual(mounts, [{ file_id: "file_c d.zip", mount_path: path }]);
});

test("files alone are a message; an upload that is not complete is left out", () => {
  assert.deepEqual(
    messageOf("", [upload("a", "image/png")]).content.map(({ type }) => type),
    ["image"],
  );
  assert.deepEqual(messageOf("hi", [{ ...upload("a", "image/png"), file: null }]).content, [
    { type: "text", text: "hi" },
  ]);
});
