/** Internals for tests of other packages. */
export { diskStoreId } from "../../src/blobs/disk/disk-store-id.ts";
