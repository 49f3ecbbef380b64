import type { Command } from "commander";

/** The flags by which a command finds its server. Tokens come from files and variables alone: arguments are seen by everybody. */
export function withConnection(command: Command): Command {
  return command
    .option(
      "--url <address>",
      "server to speak with; default: BERTH_URL, else client.json of the data directory",
    )
    .option(
      "--token-file <file>",
      "file that holds the token; default: BERTH_TOKEN, BERTH_TOKEN_FILE, client.json",
    )
    .option("--data-dir <dir>", "data directory of an installation on this machine; default: BERTH_DATA_DIR");
}
