import { APIError, ConnectionError } from "@berth/sdk";
import { useCallback, useEffect, useRef, useState } from "react";
import { berth } from "./client.ts";

type StoredFile = Awaited<ReturnType<typeof berth.files.get>>;

export type Upload = {
  key: string;
  name: string;
  size: number;
  /** The uploaded share, from 0 to 1. */
  progress: number;
  /** The file, once the service has all of it; null before. */
  file: StoredFile | null;
  error: unknown;
};

/** The data of an upload. `id` is the file that holds the received part; null before there is one. */
type Sending = { content: File; id: string | null; abort: AbortController };

/**
 * Uploads files in the background. Each continues after a broken connection, and on a retry, with the bytes
 * that are missing.
 */
export function useUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const sendings = useRef(new Map<string, Sending>());
  useEffect(() => {
    const started = sendings.current;
    return () => {
      for (const { abort } of started.values()) abort.abort();
    };
  }, []);
  const send = useCallback((key: string) => {
    const sending = sendings.current.get(key);
    if (sending === undefined) return;
    const change = (part: Partial<Upload>) =>
      setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));
    change({ error: null });
    upload(sending, (progress) => change({ progress })).then(
      (file) => change({ file, progress: 1 }),
      (error: unknown) => sending.abort.signal.aborted || change({ error }),
    );
  }, []);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const content of files) {
        const key = `${Date.now()} ${Math.random()}`;
        const { name, size } = content;
        sendings.current.set(key, { content, id: null, abort: new AbortController() });
        setUploads((all) => [...all, { key, name, size, progress: 0, file: null, error: null }]);
        send(key);
      }
    },
    [send],
  );
  const remove = useCallback((key: string) => {
    sendings.current.get(key)?.abort.abort();
    sendings.current.delete(key);
    setUploads((all) => all.filter((one) => one.key !== key));
  }, []);
  const clear = useCallback(() => {
    sendings.current.clear();
    setUploads([]);
  }, []);
  return {
    uploads,
    add,
    retry: send,
    remove,
    clear,
    busy: uploads.some(({ file, error }) => file === null && error === null),
  };
}

async function upload(sending: Sending, onProgress: (share: number) => void): Promise<StoredFile> {
  const { content, abort } = sending;
  const { signal } = abort;
  try {
    sending.id ??= (await berth.files.create(pendingFile(content), { signal })).id;
    return await berth.files.uploadResumable(content, {
      file_id: sending.id,
      signal,
      onProgress: ({ uploaded, total }) => onProgress(total === 0 ? 1 : uploaded / total),
    });
  } catch (error) {
    if (!passes(error)) sending.id = null;
    throw error;
  }
}

function pendingFile({ name, size, type }: File) {
  return { filename: name, size_bytes: size, ...(type === "" ? {} : { mime_type: type }) };
}

/** Whether the received part survives the error, so that a retry can continue. */
function passes(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof APIError && error.status >= 500);
}
