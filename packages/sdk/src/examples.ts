/** An example of each operation that needs more than its path, as plain data, and as a command. Loads nothing else. */
export { cliExample } from "@berth/contract/cli-example";
export { examples } from "@berth/contract/examples";
