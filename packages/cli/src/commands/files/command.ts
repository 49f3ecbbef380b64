import type { Command } from "commander";
import { visibilityOption, withConnection, withOutput } from "../../shared/options.ts";
import { action } from "../action.ts";

/** Adds the commands that read files of this machine, which commands generated from operations cannot do. */
export function addFiles(program: Command): void {
  const files = program
    .command("files")
    .summary("manage files for sessions and outputs of agents")
    .description("Manage files: uploads for sessions, and the outputs of agents.");
  const add = (usage: string, summary: string) =>
    withConnection(withOutput(files.command(usage).description(summary)));
  add("upload <path>", "Upload a file in parts, so that the upload can resume after a broken connection.")
    .option("--name <filename>", "file name in Berth; default: the local file name")
    .option("--type <media-type>", "media type, such as text/csv; default: from the file name")
    .addOption(visibilityOption())
    .action(action(() => import("./upload.ts"), "uploadFile"));
  add("put-content <file-id> <path>", "Upload the content of a pending file, or the missing rest of it.")
    .addHelpText("after", PENDING_HELP)
    .action(action(() => import("./upload.ts"), "putContent"));
}

const PENDING_HELP = `
To create a pending file: berth api POST /files -f filename=report.csv -F size_bytes=1024`;
