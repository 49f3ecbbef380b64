import { cpus, freemem } from "node:os";

/** Of the time of all cores. */
const IDLE_SHARE = 0.25;
/** A cluster of Kubernetes with its pods takes three. */
const FREE_BYTES = 4 * 1024 ** 3;

/** Returns a function that tells whether a good part of the cores stood idle since it was last called, and memory is free. */
export function roomOfMachine(): () => boolean {
  let last = look();
  return () => {
    const now = look();
    const share = (now.idleMs - last.idleMs) / ((now.at - last.at) * cpus().length);
    last = now;
    return share > IDLE_SHARE && freemem() > FREE_BYTES;
  };
}

function look(): { at: number; idleMs: number } {
  return { at: performance.now(), idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0) };
}
