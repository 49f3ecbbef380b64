import type { Command } from "commander";
import { withConnection, withFields } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addApi(program: Command): void {
  const command = program
    .command("api <method> <path>")
    .summary("make an API request")
    .description(
      "Make an API request and print the response. A path that does not start with /api is relative to /api/v1/cloud. Retries after 5xx and connection errors.",
    )
    .option("-q, --query <name=value...>", "query parameters")
    .option("-H, --header <name:value...>", "request headers")
    .option("-i, --include", "also print the status and headers of the response")
    .option("--paginate", "fetch all pages and print one object per line");
  withConnection(withFields(command))
    .addHelpText("after", HELP)
    .action(action(() => import("./call-api.ts"), "callApi"));
}

const HELP = `
Examples:
  $ berth api GET /sessions -q limit=5
  $ berth api POST /agents -f name=Helper -f model=rehearsal/steps
  $ berth api GET /files --paginate | jq -r .id`;
