/** An example of each operation that needs more than its path, as plain data. Loads nothing else. */
export { type Example, examples } from "@berth/contract/examples";
