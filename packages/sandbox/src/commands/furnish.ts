import { SandboxError } from "../interface/errors.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { quote } from "../scripts/quote.ts";

const TIMEOUT_MS = 20_000;

/** What only a process inside may make. */
export interface Furniture {
  /** Directories below places of the disk. */
  nested: readonly string[];
  /** Files in places that the agent writes. */
  later: readonly { source: string; target: string }[];
}

/** Makes places below others and puts files there. Rejects with `SandboxError` when it cannot. */
export async function furnish(sandbox: Sandbox, { nested, later }: Furniture): Promise<void> {
  if (nested.length > 0) {
    const script = `mkdir -p -- ${nested.map(quote).join(" ")}`;
    const { exitCode, output } = await sandbox.run({ script, timeoutMs: TIMEOUT_MS });
    if (exitCode !== 0) throw new SandboxError(`a directory could not be made: ${Buffer.from(output)}`);
  }
  for (const file of later) {
    if (await sandbox.placeFile(file)) continue;
    // A disk that is full may still hold it from before.
    const script = `[ -f ${quote(file.target)} ]`;
    const { exitCode } = await sandbox.run({ script, timeoutMs: TIMEOUT_MS });
    if (exitCode !== 0) throw new SandboxError(`${file.target} could not be placed`);
  }
}
