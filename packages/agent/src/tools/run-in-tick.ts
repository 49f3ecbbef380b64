import type { Command, CommandResult, Sandbox } from "@berth/sandbox";

interface Waiting {
  command: Command;
  result: PromiseWithResolvers<CommandResult>;
}

/** Maximum commands of one round trip. Each takes pipes before the shell that starts them gets its own. */
const MAX_TOGETHER = 16;

const GATHERED = new WeakMap<Sandbox, Waiting[]>();

/** Runs a command without a shell of its own, in one round trip with the other commands of the same tick. */
export function runInTick(sandbox: Sandbox, command: Command): Promise<CommandResult> {
  const result = Promise.withResolvers<CommandResult>();
  const gathered = GATHERED.get(sandbox);
  if (gathered !== undefined && gathered.length < MAX_TOGETHER) gathered.push({ command, result });
  else {
    const waiting = [{ command, result }];
    GATHERED.set(sandbox, waiting);
    // Runs after the rest of this tick, since calls reach their commands through settled promises.
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
