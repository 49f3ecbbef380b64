import { CommanderError } from "commander";
import { createProgram } from "./program.ts";
import { exitCodes } from "./shared/exit-codes.ts";

// A reader that leaves early, such as `head`, ends the command without a complaint.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? exitCodes.done : exitCodes.failed);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has said by then what is wrong; with code 0 it was asked for help or the version.
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else process.exitCode = (await import("./shared/failure.ts")).tellFailure(error);
}
