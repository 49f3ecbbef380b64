import { CommanderError } from "commander";
import { createProgram } from "./program.ts";
import { EXIT_CODES } from "./shared/exit-codes.ts";
import { optionsBehindCommand } from "./shared/options-behind-command.ts";

// A reader that closes the pipe early, such as `head`, ends the command without an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT_CODES.done : EXIT_CODES.failed);
});

try {
  const program = createProgram();
  await program.parseAsync(optionsBehindCommand(program, process.argv.slice(2)), { from: "user" });
} catch (error) {
  // Commander has already printed the error; with code 0 it printed the help or the version.
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  else process.exitCode = (await import("./shared/failure.ts")).printError(error);
}
