import type { Command } from "commander";
import { withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addApply(program: Command): void {
  const command = program
    .command("apply")
    .summary("create or update objects from files")
    .description(
      "Create each object that the files describe, or update the object of the same kind and name. Fields that a file omits keep their values. The service checks all documents first; if one is invalid, nothing is applied.",
    )
    .requiredOption(
      "-f, --file <file...>",
      "YAML or JSON file, which can have several documents; - for standard input",
    )
    .option("--dry-run", "check everything and print what would change, field by field, without doing it")
    .option("--set <name>", "mark the objects as a set with this name, in their metadata")
    .option("--prune", "also remove the objects of the set that the files do not describe")
    .option("--secrets", "also write the secrets of existing credentials, which cannot be compared")
    .option("--yes", "do not ask; needed to remove objects where there is no terminal");
  withConnection(withOutput(command))
    .addHelpText("after", HELP)
    .action(action(() => import("./apply.ts"), "apply"));
}

const HELP = `
A document is the body of a create request with an additional field 'kind': agent, environment, memory_store or vault. Three kinds have fields of their own:
  kind: skill             directory, which has a SKILL.md; display_title, metadata
  kind: memory            memory_store (its name), path, and content or content_file
  kind: vault_credential  vault (its name), auth, display_name, metadata; the secret is named by auth.token_env,
                          auth.token_file, auth.secret_value_env or auth.secret_value_file
Paths are relative to the directory of the document's file.

--prune archives memory stores and objects that sessions have used, deletes other objects, and leaves memories.
With --json or -o yaml, the command prints a line or a document for each object.

Example:
  kind: environment
  name: default
  ---
  kind: agent
  name: Helper
  model: anthropic/claude-opus-5
  tools:
    - type: agent_toolset_20260401
  ---
  kind: vault
  display_name: tools
  ---
  kind: vault_credential
  vault: tools
  auth:
    type: static_bearer
    mcp_server_url: https://mcp.example.com
    token_env: MCP_TOKEN`;
