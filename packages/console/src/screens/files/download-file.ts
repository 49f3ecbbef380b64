import { operations } from "@berth/sdk/operations";
import { berth } from "../../api/client.ts";
import type { StoredFile } from "../../api/queries/files.ts";
import { savedName } from "../../format/saved-name.ts";
import { downloadBlob } from "../../ui/text-viewer.tsx";
import { toastError } from "../../ui/toast.tsx";

/** Bytes above which a file is not held in memory. */
const MAX_HELD = 32 * 1024 * 1024;

/** Saves a file: a small one by the page, which can report errors, a large one directly by the browser. */
export async function downloadFile({ id, filename, size_bytes }: StoredFile): Promise<void> {
  const name = savedName(filename);
  if ((size_bytes ?? 0) > MAX_HELD)
    return downloadFrom(operations.files.content.path.replace("{file_id}", id), name);
  try {
    const response = await berth.files.content(id);
    downloadBlob(await response.blob(), name);
  } catch (error) {
    toastError(`${name} could not be downloaded`, (error as Error).message);
  }
}

/** Lets the browser download an address. The service sends files as attachments. */
function downloadFrom(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
