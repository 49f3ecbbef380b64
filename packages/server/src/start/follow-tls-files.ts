import { unwatchFile, watchFile } from "node:fs";
import type { Server } from "node:https";
import { readRegularFile } from "@berth/linux";
import type { Logger } from "pino";
import { readTlsPair, type TlsFiles } from "../config/tls-pair.ts";

const POLL_MS = 2_000;

/**
 * Reloads the files when they change, for new connections. A pair that cannot be used is logged once and the
 * previous pair is kept, since the files may be replaced one after the other. Returns a function that stops
 * watching.
 */
export function followTlsFiles(
  server: Pick<Server, "setSecureContext">,
  files: TlsFiles,
  log: Logger,
): () => void {
  let used = contentOf(files);
  let told = "";
  const follow = () => {
    try {
      if (contentOf(files) === used) return;
      const { cert, key, expires } = readTlsPair(files);
      server.setSecureContext({ cert, key });
      used = cert + key;
      told = "";
      log.info({ expires: expires.toISOString() }, "the TLS certificate was replaced");
    } catch (error) {
      const { message } = error as Error;
      if (message !== told)
        log.warn(`The changed TLS files cannot be used, so the service keeps the former ones: ${message}`);
      told = message;
    }
  };
  const paths = [files.cert, files.key];
  for (const path of paths) watchFile(path, { interval: POLL_MS, persistent: false }, follow);
  return () => {
    for (const path of paths) unwatchFile(path, follow);
  };
}

function contentOf({ cert, key }: TlsFiles): string {
  return readRegularFile(cert) + readRegularFile(key);
}
