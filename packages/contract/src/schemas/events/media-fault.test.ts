import assert from "node:assert/strict";
import { test } from "node:test";
import { imageSize, isWhole } from "./image-size.ts";
import { mediaFault } from "./media-fault.ts";
import { sourceError } from "./message-content.ts";

const base64 = (text: string) => Buffer.from(text, "base64");
const IMAGES: Record<string, Buffer> = {
  "image/png": base64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  "image/gif": base64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  "image/jpeg": base64(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z",
  ),
  "image/webp": base64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"),
};
const LOSSLESS = base64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");

/** Returns the image with other dimensions in its header. */
function resized(mediaType: string, width: number, height: number): Buffer {
  const bytes = Buffer.from(IMAGES[mediaType] ?? "");
  if (mediaType === "image/png") bytes.writeUInt32BE(height, bytes.writeUInt32BE(width, 16));
  if (mediaType === "image/gif") bytes.writeUInt16LE(height, bytes.writeUInt16LE(width, 6));
  if (mediaType === "image/webp") bytes.writeUInt16LE(height, bytes.writeUInt16LE(width, 26));
  if (mediaType === "image/jpeg") {
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0, 0x00, 0x0b]));
    bytes.writeUInt16BE(width, bytes.writeUInt16BE(height, frame + 5));
  }
  return bytes;
}

for (const [mediaType, bytes] of Object.entries(IMAGES)) {
  test(`${mediaType}: its size is read from its header, and it is whole`, () => {
    assert.deepEqual(imageSize(bytes), { width: 1, height: 1 });
    assert.equal(mediaFault(bytes), null);
    assert.deepEqual(imageSize(resized(mediaType, 640, 7)), { width: 640, height: 7 });
  });

  test(`${mediaType}: too wide, too high, without an area → said with its size`, () => {
    for (const [width, height] of [
      [9_000, 20],
      [20, 8_001],
      [16_000, 16_000],
    ] as const)
      assert.match(
        mediaFault(resized(mediaType, width, height)) ?? "",
        new RegExp(`^is an image of ${width} × ${height} pixels`),
      );
    assert.equal(mediaFault(resized(mediaType, 8_000, 8_000)), null);
    assert.equal(mediaFault(resized(mediaType, 0, 5)), "is broken or cut off");
  });

  test(`${mediaType}: cut off anywhere in its header → no size, and not whole`, () => {
    for (let length = 12; length < 24; length++) {
      assert.equal(
        mediaFault(bytes.subarray(0, length)) !== null || mediaType === "image/gif",
        true,
        `${length}`,
      );
      assert.equal(mediaFault(bytes.subarray(0, length), { isHead: true }), null);
    }
  });
}

test("WebP: lossless, and with a header for more than one image", () => {
  assert.deepEqual(imageSize(LOSSLESS), { width: 1, height: 1 });
  const extended = Buffer.concat([
    Buffer.from("RIFF\x16\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0", "latin1"),
    Buffer.from([0x27, 0x23, 0, 9, 0, 0]),
  ]);
  assert.deepEqual(imageSize(extended), { width: 0x2328, height: 10 });
  assert.match(mediaFault(extended) ?? "", /9000 × 10/);
});

test("PNG and PDF without their end, WebP shorter than it says → broken or cut off", () => {
  assert.ok(isWhole(PDF));
  for (const whole of [IMAGES["image/png"], IMAGES["image/webp"], LOSSLESS, PDF]) {
    const bytes = whole ?? Buffer.alloc(0);
    assert.equal(mediaFault(bytes.subarray(0, bytes.length - 14)), "is broken or cut off");
  }
  assert.ok(isWhole(Buffer.concat([PDF, Buffer.from("\r\n\r\n")])));
});

test("a message's image or document that no provider takes → an error that names the field", () => {
  const image = (mediaType: string, bytes: Buffer) =>
    sourceError({
      type: "image",
      source: { type: "base64", media_type: mediaType as "image/png", data: bytes.toString("base64") },
    });
  assert.match(
    image("image/png", resized("image/png", 9_000, 1)) ?? "",
    /^Field '\{field\}' is an image of 9000 × 1 pixels/,
  );
  assert.equal(
    image("image/png", Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1")),
    "Field '{field}' is broken or cut off.",
  );
  assert.equal(image("image/gif", IMAGES["image/gif"] ?? Buffer.alloc(0)), null);
  const pdf = {
    type: "base64" as const,
    media_type: "application/pdf" as const,
    data: Buffer.from("%PDF-1.7\n1 0 obj").toString("base64"),
  };
  assert.equal(sourceError({ type: "document", source: pdf }), "Field '{field}' is broken or cut off.");
});
