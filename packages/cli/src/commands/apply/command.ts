import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addApply(program: Command): void {
  const command = program
    .command("apply")
    .summary("make objects as files describe them")
    .description(
      "Makes each object that the files describe, or changes the one of its kind and name. What a file leaves out stays as it is.",
    )
    .requiredOption("-f, --file <file...>", "YAML or JSON, several documents in one; - is standard input")
    .option("--dry-run", "say what would be done, and do nothing")
    .option("--json", "print JSON, a line an object");
  withConnection(command)
    .addHelpText("after", help)
    .action(action(() => import("./apply.ts"), "apply"));
}

const help = `
A document is the body of the API's create operation with a 'kind': agent, environment, memory_store or vault.

Example:
  kind: environment
  name: default
  ---
  kind: agent
  name: Helper
  model: anthropic/claude-opus-5
  tools:
    - type: agent_toolset_20260401`;
