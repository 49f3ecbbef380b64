import { useCallback, useEffect, useRef, useState } from "react";
import { berth } from "./client.ts";

type StoredFile = Awaited<ReturnType<typeof berth.files.get>>;

export type Upload = {
  key: string;
  name: string;
  size: number;
  /** From 0 to 1. */
  progress: number;
  /** The file, once the service has all of it. */
  file: StoredFile | null;
  error: unknown;
};

/** Files that are uploaded while the person goes on. Each goes on after a broken connection where it was. */
export function useUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const running = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const started = running.current;
    return () => {
      for (const one of started.values()) one.abort();
    };
  }, []);
  const change = useCallback((key: string, part: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));
  }, []);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = `${Date.now()} ${Math.random()}`;
        const abort = new AbortController();
        running.current.set(key, abort);
        setUploads((all) => [
          ...all,
          { key, name: file.name, size: file.size, progress: 0, file: null, error: null },
        ]);
        const onProgress = ({ uploaded, total }: { uploaded: number; total: number }) =>
          change(key, { progress: total === 0 ? 1 : uploaded / total });
        berth.files.uploadResumable(file, { signal: abort.signal, onProgress }).then(
          (stored) => change(key, { file: stored, progress: 1 }),
          (error: unknown) => abort.signal.aborted || change(key, { error }),
        );
      }
    },
    [change],
  );
  const remove = useCallback((key: string) => {
    running.current.get(key)?.abort();
    setUploads((all) => all.filter((one) => one.key !== key));
  }, []);
  const clear = useCallback(() => setUploads([]), []);
  return {
    uploads,
    add,
    remove,
    clear,
    busy: uploads.some(({ file, error }) => file === null && error === null),
  };
}
