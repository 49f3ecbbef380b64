import type { Command } from "commander";
import { EXIT_CODES } from "../shared/exit-codes.ts";

/** Exit code of a command, or undefined for success. */
type Result = Promise<number | undefined>;

/**
 * Returns the action of a command. It loads the module on demand, so that other commands start fast, and
 * calls its function with the arguments and the options.
 */
export function action<Name extends string, Module extends Record<Name, (...given: never[]) => Result>>(
  load: () => Promise<Module>,
  name: Name,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const module = await load();
    const result = await module[name](...([...command.processedArgs, command.opts()] as never[]));
    process.exitCode = result ?? EXIT_CODES.done;
  };
}
