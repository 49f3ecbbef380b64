import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** Returns the handles that keep this process running for a child: the child and the pipes to it. */
export function handlesOf(child: ChildProcess): (ChildProcess | Socket)[] {
  return [child, ...child.stdio.filter((stream) => stream !== null).map((stream) => stream as Socket)];
}
