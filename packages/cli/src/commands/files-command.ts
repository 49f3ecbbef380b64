import type { Command } from "commander";
import { action } from "./action.ts";
import { withConnection } from "./connection-flags.ts";

/** What the general commands cannot do with files: read one of this machine. */
export function addFiles(program: Command): void {
  const files = program.command("files").summary("work with files").description("Works with files.");
  const add = (usage: string, summary: string) =>
    withConnection(files.command(usage).description(summary).option("--json", "print JSON"));
  add("upload <path>", "Uploads a file, in parts that survive a broken connection.")
    .option("--name <filename>", "its name there; default: its name here")
    .option("--type <media-type>", "default: by its content and name")
    .action(action(() => import("./files/upload.ts"), "uploadFile"));
  add(
    "put-content <file-id> <path>",
    "Sends the content of an announced file, or what is missing of it.",
  ).action(action(() => import("./files/upload.ts"), "putContent"));
}
