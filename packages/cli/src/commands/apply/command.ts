import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addApply(program: Command): void {
  const command = program
    .command("apply")
    .summary("create or update objects from files")
    .description(
      "Create each object that the files describe, or update the object of the same kind and name. Fields that a file omits keep their value. The service checks all documents first; if one is not valid, nothing is applied.",
    )
    .requiredOption(
      "-f, --file <file...>",
      "YAML or JSON file, which can have several documents; - for standard input",
    )
    .option("--dry-run", "check everything and print what would change, field by field, without doing it")
    .option("--set <name>", "mark the objects as a set of this name, by a pair of their metadata")
    .option("--prune", "also remove the objects of the set that the files do not describe")
    .option("--yes", "do not ask; needed to remove objects where there is no terminal")
    .option("--json", "print one JSON object per line");
  withConnection(command)
    .addHelpText("after", HELP)
    .action(action(() => import("./apply.ts"), "apply"));
}

const HELP = `
A document is the body of a create request with an additional field 'kind': agent, environment, memory_store or vault.
With --prune, objects that sessions used and memory stores are archived, other objects are deleted.

Example:
  kind: environment
  name: default
  ---
  kind: agent
  name: Helper
  model: anthropic/claude-opus-5
  tools:
    - type: agent_toolset_20260401`;
