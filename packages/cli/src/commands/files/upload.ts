import { openAsBlob } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { basename } from "node:path";
import { cannotRead } from "../../shared/cannot-read.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { peopleOutput, printResult } from "../../shared/output.ts";
import { objectLines } from "../../terminal/object.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { bytes } from "../../terminal/quantities.ts";
import { Screen } from "../../terminal/screen.ts";

interface UploadOptions extends ConnectionOptions, OutputOptions {
  name?: string;
  type?: string;
  visibility?: "private" | "organization";
}

/** Uploads in parts and resumes after broken connections. Shows progress, then prints the file. */
export async function uploadFile(path: string, options: UploadOptions): Promise<undefined> {
  await upload(path, undefined, options);
}

/** Uploads the missing part of a pending file's content. */
export async function putContent(id: string, path: string, options: UploadOptions): Promise<undefined> {
  await upload(path, id, options);
}

async function upload(path: string, file_id: string | undefined, options: UploadOptions): Promise<void> {
  const content = await contentOf(path);
  const { name = basename(path), type, visibility } = options;
  const client = await connect(options);
  let status = `uploading ${name}`;
  const output = options.quiet ? peopleOutput(options) : process.stderr;
  const screen = new Screen(output, paletteFor(output), () => status);
  const onProgress = ({ uploaded, total }: { uploaded: number; total: number }) => {
    status = `uploading ${name}: ${bytes(uploaded)} of ${bytes(total)}`;
    screen.refresh();
  };
  try {
    const given = { name, content, ...(type === undefined ? {} : { type }) };
    const file = await client.files.uploadResumable(given, { file_id, visibility, onProgress });
    screen.close();
    await printResult(file, options, () => objectLines({ ...file }));
  } finally {
    screen.close();
  }
}

/**
 * Opens a file as a blob. A blob is read while it is sent, so a file that cannot be read would look like a
 * failing connection.
 * @throws UsageError when it cannot be read.
 */
async function contentOf(path: string): Promise<Blob> {
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isFile()) return await openAsBlob(path);
  } catch (error) {
    throw new UsageError(cannotRead(path, error));
  }
  throw new UsageError(`'${path}' is not a file.`);
}
