import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { MAX_TERMINALS } from "../host/terminals.ts";
import { SandboxError } from "../interface/errors.ts";
import { perlScript } from "../scripts/read-script.ts";
import { openNamespace } from "./container-process.ts";

const LIMIT_TERMINALS = perlScript("docker/limit-terminals.pl");
const NAMESPACE = 3;

/**
 * Limits the pseudoterminals of a container, for which container engines have no option.
 *
 * @param init Host pid of process 1.
 * @throws SandboxError when it is not the container's, or its terminals cannot be limited.
 */
export async function limitTerminals(container: string, init: number): Promise<void> {
  const namespace = openNamespace(container, init, "mnt");
  try {
    const command = ["-e", LIMIT_TERMINALS, "--", String(NAMESPACE), String(MAX_TERMINALS)];
    const child = spawn("perl", command, {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", namespace],
    });
    let errors = "";
    child.stderr?.on("data", (chunk) => {
      errors += String(chunk);
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new SandboxError(`its terminals could not be limited: ${errors.trim()}`);
  } finally {
    closeSync(namespace);
  }
}
