import type { CloneProgress } from "./repository/repository.ts";

/** In the order in which a clone goes through them. */
const phases: readonly [RegExp, CloneProgress["phase"]][] = [
  [/Enumerating objects:/g, "counting"],
  [/Counting objects:\s+(\d+)%/g, "counting"],
  [/Receiving objects:\s+(\d+)%/g, "receiving"],
  [/Resolving deltas:\s+(\d+)%/g, "resolving"],
  [/Updating files:\s+(\d+)%/g, "checking_out"],
];

/** Reads git's progress as it comes, in chunks of any size, and tells each step forward of phase or percent. */
export function createProgressReader(tell: (progress: CloneProgress) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  let reached = -1;
  return (chunk) => {
    const text = rest + decoder.decode(chunk, { stream: true });
    rest = text.slice(text.search(/[^\r\n]*$/)).slice(-200);
    const { step, progress } = furthest(text);
    if (step <= reached) return;
    reached = step;
    tell(progress);
  };
}

interface Step {
  /** Grows with phase and percent. */
  step: number;
  progress: CloneProgress;
}

function furthest(text: string): Step {
  const steps = phases.flatMap(([pattern, phase], index) =>
    [...text.matchAll(pattern)].map(([, digits]): Step => {
      const percent = digits === undefined ? null : Math.min(Number(digits), 100);
      return { step: index * 101 + (percent ?? 0), progress: { phase, percent } };
    }),
  );
  const none: Step = { step: -1, progress: { phase: "waiting", percent: null } };
  return steps.reduce((one, other) => (other.step > one.step ? other : one), none);
}
