import type { CloneProgress } from "./repository/repository.ts";

/** Phases in the order of a clone. */
const PHASES: readonly [RegExp, CloneProgress["phase"]][] = [
  [/Enumerating objects:/g, "counting"],
  [/Counting objects:\s+(\d+)%/g, "counting"],
  [/Receiving objects:\s+(\d+)%/g, "receiving"],
  [/Resolving deltas:\s+(\d+)%/g, "resolving"],
  [/Updating files:\s+(\d+)%/g, "checking_out"],
];

/**
 * Parses git's progress output, in chunks of any size. Calls `onProgress` whenever the phase or the
 * percentage has advanced.
 */
export function createProgressReader(
  onProgress: (progress: CloneProgress) => void,
): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  let reached = -1;
  return (chunk) => {
    const text = rest + decoder.decode(chunk, { stream: true });
    rest = text.slice(text.search(/[^\r\n]*$/)).slice(-200);
    const { step, progress } = furthest(text);
    if (step <= reached) return;
    reached = step;
    onProgress(progress);
  };
}

interface Step {
  /** Number that increases with phase and percentage. */
  step: number;
  progress: CloneProgress;
}

function furthest(text: string): Step {
  const steps = PHASES.flatMap(([pattern, phase], index) =>
    [...text.matchAll(pattern)].map(([, digits]): Step => {
      const percent = digits === undefined ? null : Math.min(Number(digits), 100);
      return { step: index * 101 + (percent ?? 0), progress: { phase, percent } };
    }),
  );
  const none: Step = { step: -1, progress: { phase: "waiting", percent: null } };
  return steps.reduce((one, other) => (other.step > one.step ? other : one), none);
}
