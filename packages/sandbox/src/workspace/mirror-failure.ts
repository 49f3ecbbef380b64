import { fetchFault } from "./clone-failure.ts";

export interface MirrorFailure {
  /**
   * The reason why there can be no mirror, as a clause about the repository: "its …". It quotes nothing that
   * the host sent.
   */
  reason: string;
}

/** Parses the output of the script whose fetch failed. */
export function mirrorFailure(url: string, output: string): MirrorFailure {
  const [, said] = output.split(/^failed\n/m, 2);
  if (said === undefined) return { reason: "its mirror could not be made" };
  // The text after the fault's name is git's own, and does not contain a name from the repository.
  const [, object, fault, text] = /^error: object ([0-9a-f]{40,64}): (\w+): ([^\n]*)$/m.exec(said) ?? [];
  if (object !== undefined)
    return { reason: `its object ${object} does not pass git's check: ${fault}, ${text}` };
  if (/File too large/.test(said)) return { reason: "it exceeds the size limit" };
  return { reason: fetchFault(url, said) };
}
