import type { Duplex } from "node:stream";

/** A connection of a sandbox: a socket, or a stream that carries a connection from elsewhere. */
export interface Client extends Duplex {
  /** Ends both directions at once, so that the program in the sandbox sees a reset. */
  resetAndDestroy(): unknown;
  /** Calls back after this many milliseconds without traffic; 0 disables the timeout. */
  setTimeout(milliseconds: number, onTimeout?: () => void): unknown;
}
