/** Internals for tests of other packages. */
export { deleteSaves } from "../../src/deletion/erased-rows-store.ts";
export { requestErasure, selectErasures } from "../../src/deletion/erasure-store.ts";
