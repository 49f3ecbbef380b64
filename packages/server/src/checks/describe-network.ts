import type { Capability } from "@berth/sandbox";
import type { Config } from "../config/config.ts";
import { plainHttpWarning, tlsFilesOf } from "../config/tls-files.ts";
import { readTlsPair } from "../config/tls-pair.ts";

/** Reports how clients reach the service. */
export function describeNetwork(config: Config): Capability {
  const name = "network";
  try {
    const files = tlsFilesOf(config);
    const warning = plainHttpWarning(config);
    if (warning !== null) return { name, state: "degraded", detail: warning };
    if (files === null) {
      const detail = "The service listens only on this machine, or is behind a proxy.";
      return { name, state: "yes", detail };
    }
    const { expires } = readTlsPair(files);
    const days = Math.floor((expires.getTime() - Date.now()) / 86_400_000);
    const detail = `The service listens for https, with a certificate that is valid for ${days} more days.`;
    return { name, state: days < 14 ? "degraded" : "yes", detail };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}
