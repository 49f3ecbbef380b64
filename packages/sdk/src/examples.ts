/** Examples of each operation that needs more than its path, as data and as a command. */
export { cliExample } from "@berth/contract/cli-example";
export { examples } from "@berth/contract/examples";
