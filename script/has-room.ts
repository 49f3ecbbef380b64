import { cpus, freemem } from "node:os";

/**
 * The share of idle time of all cores above which another job may start. Tests mostly wait, so cores are
 * often idle.
 */
const IDLE_SHARE = 0.1;
/** The memory that must be free. A Kubernetes cluster with its pods takes three GiB. */
const FREE_BYTES = 4 * 1024 ** 3;

/** Returns a function that tells whether many cores were idle since its last call, and memory is free. */
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
