import type { Command } from "commander";
import { exitCodes } from "../shared/exit-codes.ts";

/** What a command's function answers: its exit code, or nothing when all went well. */
type Result = Promise<number | undefined>;

/**
 * The action of a command: loads its module only now, so that every other command starts without it, and calls its function with
 * the arguments and then the options.
 */
export function action<Name extends string, Module extends Record<Name, (...given: never[]) => Result>>(
  load: () => Promise<Module>,
  name: Name,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const module = await load();
    const result = await module[name](...([...command.processedArgs, command.opts()] as never[]));
    process.exitCode = result ?? exitCodes.done;
  };
}
