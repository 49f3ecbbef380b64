/** An example of each operation that takes more than its path, as plain data. Loads nothing else. */
export { type Example, examples } from "@berth/contract/examples";
