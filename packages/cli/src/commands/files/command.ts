import type { Command } from "commander";
import { withConnection } from "../../shared/options.ts";
import { action } from "../action.ts";

/** What the general commands cannot do with files: read one of this machine. */
export function addFiles(program: Command): void {
  const files = program
    .command("files")
    .summary("what sessions are given, and what agents made")
    .description("Files that sessions are given, and those that agents made.");
  const add = (usage: string, summary: string) =>
    withConnection(files.command(usage).description(summary).option("--json", "print JSON"));
  add("upload <path>", "Uploads a file, in parts that survive a broken connection.")
    .option("--name <filename>", "its name there; default: its name here")
    .option("--type <media-type>", "such as text/csv; default: by its name")
    .action(action(() => import("./upload.ts"), "uploadFile"));
  add("put-content <file-id> <path>", "Sends the content of an announced file, or what is missing of it.")
    .addHelpText("after", announceHelp)
    .action(action(() => import("./upload.ts"), "putContent"));
}

const announceHelp = `
To announce a file: berth api POST /files -f filename=report.csv -F size_bytes=1024`;
