/** Internals for tests of other packages. */
export { readLog } from "../../src/session-log/event-store.ts";
