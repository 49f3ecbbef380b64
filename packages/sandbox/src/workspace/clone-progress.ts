import type { CloneProgress } from "./repository.ts";

const phases: readonly [RegExp, CloneProgress["phase"]][] = [
  [/(?:Counting|Enumerating|Compressing) objects:(?:\s+(\d+)%)?/g, "counting"],
  [/Receiving objects:\s+(\d+)%/g, "receiving"],
  [/Resolving deltas:\s+(\d+)%/g, "resolving"],
  [/Updating files:\s+(\d+)%/g, "checking_out"],
];

/** Reads git's progress as it comes and tells each change of phase or percent. */
export function createProgressReader(tell: (progress: CloneProgress) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  let told = "";
  return (chunk) => {
    const text = rest + decoder.decode(chunk, { stream: true });
    rest = text.slice(text.search(/[^\r\n]*$/)).slice(-200);
    const newest = newestOf(text);
    if (newest === null || `${newest.phase} ${newest.percent}` === told) return;
    told = `${newest.phase} ${newest.percent}`;
    tell(newest);
  };
}

function newestOf(text: string): CloneProgress | null {
  const found = phases.flatMap(([pattern, phase]) =>
    [...text.matchAll(pattern)].map(({ index, 1: percent }) => ({
      index,
      progress: { phase, percent: percent === undefined ? null : Number(percent) },
    })),
  );
  return found.toSorted((one, other) => one.index - other.index).at(-1)?.progress ?? null;
}
