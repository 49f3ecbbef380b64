import type { Socket } from "node:net";

/** Joins two connections: bytes both ways with backpressure, half-close passed on; when one breaks, so does the other. */
export function splice(one: Socket, other: Socket): void {
  forward(one, other);
  forward(other, one);
}

function forward(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => {
    if (!from.readableEnded) to.destroy();
  });
}
