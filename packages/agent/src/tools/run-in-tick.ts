import type { Command, CommandResult, Sandbox } from "@berth/sandbox";

interface Waiting {
  command: Command;
  result: PromiseWithResolvers<CommandResult>;
}

/** In one round trip. Each takes pipes of the sandbox before the shell that starts them does. */
const MAX_TOGETHER = 16;

const GATHERED = new WeakMap<Sandbox, Waiting[]>();

/** Runs a command without a shell of its own, in one round trip with those that are asked for in the same tick. */
export function runInTick(sandbox: Sandbox, command: Command): Promise<CommandResult> {
  const result = Promise.withResolvers<CommandResult>();
  const gathered = GATHERED.get(sandbox);
  if (gathered !== undefined && gathered.length < MAX_TOGETHER) gathered.push({ command, result });
  else {
    const waiting = [{ command, result }];
    GATHERED.set(sandbox, waiting);
    // Behind all that this tick still has to do: a call reaches its command by way of promises that are settled.
    process.nextTick(() => {
      if (GATHERED.get(sandbox) === waiting) GATHERED.delete(sandbox);
      runAll(sandbox, waiting);
    });
  }
  return result.promise;
}

function runAll(sandbox: Sandbox, waiting: readonly Waiting[]): void {
  const commands = waiting.map(({ command }) => command);
  const together = commands.length > 1 ? sandbox.runTogether?.(commands) : undefined;
  const running = together ?? commands.map((command) => sandbox.run(command));
  for (const [index, { result }] of waiting.entries())
    result.resolve(running[index] as Promise<CommandResult>);
}
