import type { Command } from "commander";
import { action } from "./action.ts";
import { withConnection } from "./connection-flags.ts";

/** What the general commands cannot do with files: read one of this machine. */
export function addFiles(program: Command): void {
  const files = program.command("files").summary("work with files").description("Works with files.");
  const upload = files
    .command("upload <path>")
    .description("Uploads a file.")
    .option("--name <filename>", "its name there; default: its name here")
    .option("--type <media-type>", "default: by its content and name")
    .option("--json", "print JSON");
  withConnection(upload).action(action(() => import("./files/upload.ts"), "uploadFile"));
}
