/** Internals for tests of other packages. */
export { removePermit, storePermit, type TurnPermit } from "../../src/leases/turn-permits.ts";
