import type { Command } from "commander";
import { withConnection, withFields } from "../../shared/options.ts";
import { action } from "../action.ts";

/** The API as it is, for what no command says. */
export function addApi(program: Command): void {
  const command = program
    .command("api <method> <path>")
    .summary("make any request")
    .description(
      "Makes a request and prints the answer as it came. A path without /api is below /api/v1/cloud. 5xx and lost connections are tried again.",
    )
    .option("-q, --query <name=value...>", "of the query")
    .option("-H, --header <name:value...>", "headers")
    .option("-i, --include", "print the status and the headers, too")
    .option("--paginate", "follow next_page and print all objects, one on a line");
  withConnection(withFields(command))
    .addHelpText("after", help)
    .action(action(() => import("./call-api.ts"), "callApi"));
}

const help = `
Examples:
  $ berth api GET /sessions -q limit=5
  $ berth api POST /agents -f name=Helper -f model=rehearsal/steps
  $ berth api GET /files --paginate | jq -r .id`;
