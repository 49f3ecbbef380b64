import type { CommandResult } from "@berth/sandbox";
import { z } from "zod";
import { deniedNote } from "./denied-note.ts";
import { kibibytes } from "./result-form.ts";
import { stoppedText } from "./run-script.ts";
import { defineTool, failure, type Tool, type ToolContext, type ToolResult, textResult } from "./tool.ts";

const milliseconds = z.int().min(1).max(600_000);

const input = z
  .strictObject({
    command: z.string().min(1).optional().describe("The command to run; needed unless restart is given."),
    timeout: milliseconds.optional().describe("Milliseconds until it is stopped; default 120000."),
    timeout_ms: milliseconds.optional().describe("The same as timeout."),
    restart: z.boolean().optional().describe("Start a fresh shell in /data first."),
    description: z.string().optional().describe("What the command does, in a few words."),
  })
  .refine(
    ({ command, restart }) => command !== undefined || restart === true,
    "Field 'command' is required unless 'restart' is true.",
  )
  .refine(({ command }) => !command?.includes("\0"), "A command has no NUL character.");

export const bash = (maxBytes: number): Tool =>
  defineTool({
    name: "Bash",
    description: `Runs a command in a bash that stays from call to call, with its working directory, variables, functions and options. It starts in /data. Several Bash calls in one answer run side by side: each but the last in a copy of the shell, of which nothing stays but what it did to files. When the session is quiet for a while or the shell is stopped, the next call gets a new bash: the working directory, exported variables, functions and options come back, other variables do not, and when the session was quiet background processes have ended. Nothing can be typed into a running command, so use flags that do not ask. A command is stopped after its timeout, 2 minutes unless you give another, at most 10; start what must run longer in the background with its output in a file. Standard output and error come back together. When they are longer than ${kibibytes(maxBytes)} the middle is left out, and the whole, up to 256 MiB, is kept in a file that is named.`,
    input,
    async run({ command, restart, timeout, timeout_ms }, context) {
      const script = command?.replaceAll("\r\n", "\n");
      const timeoutMs = timeout ?? timeout_ms ?? 120_000;
      const aside = restart !== true && (context.beside?.hasLater ?? false);
      if (restart !== true) return await runCommand(script ?? "", { timeoutMs, maxBytes, aside }, context);
      await context.beside?.earlierBegun;
      const ended = await endShell(context);
      if (script === undefined || ended.isError) return ended;
      return await runCommand(script, { timeoutMs, maxBytes, aside }, context);
    },
  });

const SHELL = "main";
/** Maximum bytes of an output in its file. */
const MAX_KEPT_BYTES = 268_435_456;
const ASIDE_NOTE = "[This ran beside your other Bash calls, in a copy of the shell that is gone.]";

interface Running {
  timeoutMs: number;
  maxBytes: number;
  /** Whether the command runs in a copy of the shell. */
  aside: boolean;
}

async function runCommand(script: string, options: Running, context: ToolContext): Promise<ToolResult> {
  const { timeoutMs, maxBytes, aside } = options;
  const sandbox = await context.sandbox();
  const environment = await context.environment();
  const { signal, beside, onOutput } = context;
  // Copies of the shell are made before the last of these calls runs in it.
  await beside?.earlierBegun;
  const running = sandbox.run({
    script,
    aside,
    shell: SHELL,
    environment,
    secrets: context.secrets?.() ?? [],
    timeoutMs,
    keepOutput: true,
    maxOutputBytes: maxBytes,
    signal,
    ...(onOutput !== undefined && { onOutput }),
  });
  beside?.begin();
  const result = await running;
  const parts = [
    outputOf(result),
    ...remarks(result, options),
    ...directoryNote(result, options, context),
    ...(aside ? [ASIDE_NOTE] : []),
  ];
  const text = parts.filter((part) => part !== "").join("\n");
  if (result.ended !== "exit" || result.exitCode !== 0) return failure(text);
  return textResult(text === "" ? "(no output)" : text);
}

/** Ends the shell. A new one starts in the last working directory, so `cd /data` comes first. */
async function endShell(context: ToolContext): Promise<ToolResult> {
  const sandbox = await context.sandbox();
  const { signal } = context;
  for (const script of ["cd /data", "exit 0"]) {
    const { ended } = await sandbox.run({ script, shell: SHELL, timeoutMs: 10_000, signal });
    if (ended !== "exit") return failure(stoppedText(ended, 10_000));
  }
  return textResult("The shell was restarted in /data.");
}

/** Returns the output. A line marks where the middle is left out. */
function outputOf({ output, cutAt }: CommandResult): string {
  const bytes = Buffer.from(output);
  const [head, tail] = [bytes.subarray(0, cutAt ?? 0), bytes.subarray(cutAt ?? 0)].map((part) => `${part}`);
  const cut = cutAt !== undefined ? `${/(^|\n)$/.test(head ?? "") ? "" : "\n"}[…]\n` : "";
  return `${head}${cut}${tail}`.replace(/\n$/, "");
}

function remarks(result: CommandResult, { timeoutMs }: Running): string[] {
  const lines: string[] = [];
  if (result.omittedBytes > 0) {
    const whole =
      result.outputFile === null ? "" : `; the output is kept in ${result.outputFile}${keptSize(result)}`;
    lines.push(`[${result.omittedBytes} bytes left out of the middle${whole}]`);
  }
  const denied = deniedNote(result.denied ?? []);
  if (denied !== null) lines.push(`[${denied}]`);
  if (result.limit !== undefined)
    lines.push(`[${LIMIT_TEXTS[result.limit]}${result.cleared ? CLEARED : ""}]`);
  if (result.ended !== "exit") lines.push(`[${stoppedText(result.ended, timeoutMs)}${freshShell(result)}]`);
  else if (result.exitCode !== 0) lines.push(`[exit code ${result.exitCode}]`);
  return lines;
}

/** Returns the size of the output file, such as `, 20480 bytes`. */
function keptSize({ output, omittedBytes }: CommandResult): string {
  const bytes = output.length + omittedBytes;
  return bytes > MAX_KEPT_BYTES ? `, the first ${MAX_KEPT_BYTES} of ${bytes} bytes` : `, ${bytes} bytes`;
}

/**
 * Returns a note with the working directory when it differs from the one that the model knows; none for a copy
 * of the shell, which is gone.
 */
function directoryNote({ cwd }: CommandResult, { aside }: Running, context: ToolContext): string[] {
  if (cwd === null || aside || cwd === toldDirectory(context)) return [];
  return [`[working directory ${cwd}]`];
}

const START = "/data";

/** Returns the directory in the newest result that names one. */
function toldDirectory({ earlier }: ToolContext): string {
  for (const { input, text } of earlier?.("Bash") ?? []) {
    if (input.restart === true && input.command === undefined) return START;
    const [, directory] = /^\[working directory (.*)\]$/.exec(text.slice(text.lastIndexOf("\n") + 1)) ?? [];
    if (directory !== undefined) return directory;
  }
  return START;
}

const LIMIT_TEXTS: Record<NonNullable<CommandResult["limit"]>, string> = {
  memory:
    "The session ran out of memory while this ran, and a process was killed. Files in /dev/shm take memory, too.",
  processes: "The session is at its limit of processes: some could not be started.",
  disk: "The session's disk is full. Delete what is not needed.",
};
const CLEARED = " What this left running was stopped, so that others can be.";

function freshShell(result: CommandResult): string {
  return result.ended === "timeout"
    ? " The next command gets a new shell, as the command before this one left it."
    : "";
}
