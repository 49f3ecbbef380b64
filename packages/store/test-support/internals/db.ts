/** Internals for tests of other packages. */
export type { SocketConnection } from "../../src/db/connection.ts";
export { PAGE_BYTES } from "../../src/db/page-bytes.ts";
export type { Rows, Statement } from "../../src/db/statement.ts";
