import type { EgressPolicy } from "@berth/egress";
import type { Command, CommandResult } from "../../src/interface/command.ts";
import { SandboxError } from "../../src/interface/errors.ts";
import type { PortConnection } from "../../src/interface/port-connection.ts";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import type { MountedFile, SandboxSpec } from "../../src/interface/spec.ts";

/** The outcome of a command. By default it ends at once with exit code 0 and no output. */
export interface FakeReply {
  output?: string | Uint8Array;
  exitCode?: number;
  /** Working directory of the named shell afterwards. */
  cwd?: string;
  /**
   * The command ends, after its output, when this resolves. With `never`, only a timeout, an abort or the
   * sandbox's end ends it.
   */
  until?: Promise<unknown> | "never";
  /** Whether the sandbox dies instead of returning a result. */
  dies?: boolean;
  /** A message with which `run` rejects, as when the engine fails. */
  rejects?: string;
}

/** The behaviour of a fake engine. */
export interface FakeScript {
  /** Returns a message to make opening fail. `count` is the number of sandboxes opened before. */
  open?(spec: SandboxSpec, count: number): string | undefined | Promise<string | undefined>;
  run?(command: Command, sandbox: FakeSandbox): FakeReply | Promise<FakeReply>;
  /** Returns false for a path that needs a mount, or a message to make it reject. Default: true. */
  placeFile?(file: MountedFile, sandbox: FakeSandbox): boolean | string;
  /** Returns false for a file that is a mount, or a message to make it reject. Default: true. */
  removeFile?(target: string, sandbox: FakeSandbox): boolean | string;
}

const DEFAULT_OUTPUT_BYTES = 102_400;

/** A sandbox that runs nothing; a `FakeScript` determines its behaviour. */
export class FakeSandbox implements Sandbox {
  readonly id: string;
  readonly spec: SandboxSpec;
  readonly closed: Promise<void>;
  /** Every command so far, in start order. */
  readonly commands: Command[] = [];
  /** Files that were placed after opening. */
  readonly placed: MountedFile[] = [];
  /** Paths whose files were removed. */
  readonly removed: string[] = [];
  /** The current egress policy. */
  egress: EgressPolicy;
  readonly #script: FakeScript;
  readonly #end = Promise.withResolvers<void>();
  readonly #shells = new Map<string, { last: Promise<unknown>; cwd: string | null }>();
  #gone = false;

  constructor(spec: SandboxSpec, script: FakeScript) {
    this.id = spec.id;
    this.spec = spec;
    this.egress = spec.egress;
    this.closed = this.#end.promise;
    this.#script = script;
  }

  get gone(): boolean {
    return this.#gone;
  }

  async run(command: Command): Promise<CommandResult> {
    if (command.shell === undefined) return this.#runNow(command, null);
    const shell = this.#shells.get(command.shell) ?? { last: Promise.resolve(), cwd: null };
    this.#shells.set(command.shell, shell);
    const before = shell.last;
    const turn = Promise.withResolvers<void>();
    shell.last = Promise.all([before, turn.promise]);
    try {
      const waited = await Promise.race([before, this.closed, aborted(command.signal)]);
      if (waited === "aborted") return result("aborted", null, shell.cwd);
      const ran = await this.#runNow(command, shell.cwd ?? command.cwd ?? "/data");
      shell.cwd = ran.cwd;
      return ran;
    } finally {
      turn.resolve();
    }
  }

  async placeFile(file: MountedFile): Promise<boolean> {
    if (this.#gone) return false;
    const answer = this.#script.placeFile?.(file, this) ?? true;
    if (typeof answer === "string") throw new SandboxError(answer);
    if (answer) this.placed.push(file);
    return answer;
  }

  async removeFile(target: string): Promise<boolean> {
    if (this.#gone) return false;
    const answer = this.#script.removeFile?.(target, this) ?? true;
    if (typeof answer === "string") throw new SandboxError(answer);
    if (answer) this.removed.push(target);
    return answer;
  }

  async mountSnapshot(): Promise<boolean> {
    return false;
  }

  async unmountSnapshot(): Promise<boolean> {
    return false;
  }

  async isUntouched(): Promise<boolean> {
    return false;
  }

  async connect(): Promise<PortConnection> {
    return { ok: false, reason: this.#gone ? "gone" : "not_listening" };
  }

  setEgress(policy: EgressPolicy): void {
    if (!this.#gone) this.egress = policy;
  }

  async processes(): Promise<number> {
    return 0;
  }

  async terminate(): Promise<void> {}

  async close(): Promise<void> {
    this.die();
  }

  /** Ends the sandbox as if the kernel had killed it. */
  die(): void {
    this.#gone = true;
    this.#end.resolve();
  }

  async #runNow(command: Command, cwd: string | null): Promise<CommandResult> {
    if (this.#gone) return result("closed", null, cwd);
    if (command.signal?.aborted) return result("aborted", null, cwd);
    this.commands.push(command);
    const timer = Promise.withResolvers<"timeout">();
    const handle = setTimeout(() => timer.resolve("timeout"), command.timeoutMs);
    try {
      const reply = this.#answer(command);
      const stopped = Promise.race([
        timer.promise,
        aborted(command.signal),
        this.closed.then(() => "closed" as const),
      ]);
      const first = await Promise.race([reply.then(({ answer }) => answer), stopped]);
      if (typeof first === "string") return result(first, null, cwd);
      const ended = await Promise.race([reply.then(({ done }) => done), stopped]);
      const output = Buffer.from(first.output ?? "");
      if (ended !== "exit") return { ...result(ended, null, cwd), ...cut(output, command) };
      const after = cwd === null ? null : (first.cwd ?? cwd);
      return { ...result("exit", first.exitCode ?? 0, after), ...cut(output, command) };
    } finally {
      clearTimeout(handle);
    }
  }

  async #answer(command: Command): Promise<{ answer: FakeReply; done: Promise<"exit"> }> {
    const answer = (await this.#script.run?.(command, this)) ?? {};
    if (answer.rejects !== undefined) throw new SandboxError(answer.rejects);
    if (answer.dies) this.die();
    else if (answer.output !== undefined) command.onOutput?.(Buffer.from(answer.output));
    const never = answer.until === "never" || answer.dies;
    const done = never
      ? new Promise<"exit">(() => {})
      : Promise.resolve(answer.until).then(() => "exit" as const);
    return { answer, done: done };
  }
}

function result(ended: CommandResult["ended"], exitCode: number | null, cwd: string | null): CommandResult {
  return { exitCode, ended, output: new Uint8Array(), omittedBytes: 0, outputFile: null, cwd };
}

function cut(
  output: Buffer,
  command: Command,
): Pick<CommandResult, "output" | "omittedBytes" | "outputFile"> {
  const limit = command.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  if (output.length <= limit) return { output, omittedBytes: 0, outputFile: null };
  const half = Math.floor(limit / 2);
  const kept = Buffer.concat([output.subarray(0, half), output.subarray(output.length - half)]);
  const outputFile = command.keepOutput ? "/var/tmp/output/fake.txt" : null;
  return { output: kept, omittedBytes: output.length - kept.length, outputFile };
}

function aborted(signal: AbortSignal | undefined): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve("aborted");
    signal?.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
