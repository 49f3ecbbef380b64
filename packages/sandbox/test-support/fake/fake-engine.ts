import type { Capability } from "../../src/interface/capability.ts";
import { SandboxError } from "../../src/interface/errors.ts";
import type { Sandbox, SandboxEngine } from "../../src/interface/sandbox.ts";
import type { SandboxSpec } from "../../src/interface/spec.ts";
import { FakeSandbox, type FakeScript } from "./fake-sandbox.ts";

export { type FakeReply, FakeSandbox, type FakeScript } from "./fake-sandbox.ts";

/**
 * Creates an engine without a kernel, for tests of its callers. A function returns the results of commands,
 * files are in memory, and calls fail on request. It keeps the interface's rules about ids, ends, timeouts,
 * aborts and order.
 */
export function createFakeEngine(script: FakeScript = {}): FakeEngine {
  return new FakeEngine(script);
}

export class FakeEngine implements SandboxEngine {
  readonly name = "fake";
  /** Every sandbox that was opened, oldest first, including closed ones. */
  readonly sandboxes: FakeSandbox[] = [];
  /** Number of calls of `sweep`. */
  sweeps = 0;
  readonly #script: FakeScript;
  #closed = false;

  constructor(script: FakeScript) {
    this.#script = script;
  }

  async probe(): Promise<Capability[]> {
    return [{ name: "isolation", state: "no", detail: "The fake engine runs nothing." }];
  }

  async open(spec: SandboxSpec): Promise<Sandbox> {
    if (this.#closed) throw new SandboxError("the engine is closed");
    if (!/^[a-z0-9_]{1,64}$/.test(spec.id))
      throw new SandboxError(`not a sandbox id: ${JSON.stringify(spec.id)}`);
    if (this.sandboxes.some((sandbox) => sandbox.id === spec.id && !sandbox.gone))
      throw new SandboxError(`the sandbox ${spec.id} is open already`);
    const failure = await this.#script.open?.(spec, this.sandboxes.length);
    if (failure !== undefined) throw new SandboxError(failure);
    const sandbox = new FakeSandbox(spec, this.#script);
    this.sandboxes.push(sandbox);
    return sandbox;
  }

  async diskBytes(): Promise<null> {
    return null;
  }

  async takeChanges(): Promise<boolean> {
    throw new SandboxError("the fake engine has no systems");
  }

  async takeSnapshotChanges(): Promise<boolean> {
    throw new SandboxError("the fake engine has no snapshots");
  }

  async sweep(mayLive: (id: string) => boolean = () => true): Promise<string[]> {
    this.sweeps++;
    const refused = this.sandboxes.filter(({ id, gone }) => !gone && !mayLive(id));
    await Promise.all(refused.map((sandbox) => sandbox.close()));
    return refused.map(({ id }) => id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.sandboxes.map((sandbox) => sandbox.close()));
  }
}
