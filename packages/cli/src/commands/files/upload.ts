import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { type ConnectionOptions, connect } from "../../connection.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";
import { objectLines } from "../../render/object.ts";

interface UploadOptions extends ConnectionOptions {
  name?: string;
  type?: string;
  json?: boolean;
}

/** Prints the file as the API answers it. */
export async function uploadFile(path: string, options: UploadOptions): Promise<undefined> {
  const content = await openAsBlob(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`'${path}' cannot be read: ${error.code}.`);
  });
  const { name = basename(path), type } = options;
  const client = await connect(options);
  const file = await client.files.upload({ name, content, ...(type === undefined ? {} : { type }) });
  if (options.json) printJson(file);
  else for (const line of objectLines({ ...file })) printLine(line);
}
