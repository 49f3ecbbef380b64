import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Joins two connections: bytes both ways with backpressure, half-close passed on; when one breaks, so does the other.
 * What goes from `one` to `other` goes through `through`, which breaks both when it fails.
 */
export function splice(one: Socket, other: Socket, through?: Duplex): void {
  forward(one, other, through);
  forward(other, one);
}

function forward(from: Socket, to: Socket, through?: Duplex): void {
  if (through === undefined) from.pipe(to);
  else from.pipe(through).pipe(to);
  through?.on("error", () => from.destroy());
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => {
    if (!from.readableEnded) to.destroy();
  });
}
