import type { Command } from "commander";
import { withInstallation } from "../../shared/options.ts";
import { action } from "../action.ts";

export function addBlobs(admin: Command): void {
  const blobs = admin.command("blobs").description("Move the contents of files to another place.");
  const move = blobs
    .command("move")
    .summary("copy all contents to another place, which is the installation's from then on")
    .description(
      "Copy the contents of all files and skills to another place, each verified by its hash. The service must be stopped. When the command is interrupted, it goes on where it was at the next call.",
    )
    .requiredOption("--from <place>", "where they are, as BERTH_BLOBS names it")
    .requiredOption("--to <place>", "where they go: disk, a directory, or s3://bucket/prefix");
  withInstallation(move).action(action(() => import("./blobs.ts"), "moveBlobs"));
}
