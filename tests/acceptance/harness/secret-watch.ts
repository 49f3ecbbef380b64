import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { type Answer, Api, type CallOptions } from "./api.ts";

/** Looks for secrets in what is shown to it, in every form in which one could pass through. */
export class SecretWatch {
  readonly #forms = new Map<string, string>();

  /** From now on this is a secret. */
  add(name: string, secret: string): string {
    for (const [form, text] of formsOf(secret)) this.#forms.set(text, `${name} (${form})`);
    return secret;
  }

  /** Asserts that no secret is in it. */
  check(where: string, text: string): void {
    for (const [form, name] of this.#forms) {
      const at = text.indexOf(form);
      if (at < 0) continue;
      const around = text.slice(Math.max(0, at - 60), at + form.length + 20).replaceAll(form, "<here>");
      assert.fail(`${name} is in ${where}: …${around}…`);
    }
  }

  /** The arguments of every process of this machine, those in sandboxes too. Answers how many processes there were. */
  checkArguments(): number {
    const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
    for (const pid of processes) this.check(`the arguments of process ${pid}`, argumentsOf(pid));
    return processes.length;
  }
}

/** A client whose answers are all watched. */
export class WatchedApi extends Api {
  readonly #watch: SecretWatch;

  constructor(url: string, token: string, watch: SecretWatch) {
    super(url, token);
    this.#watch = watch;
  }

  override async call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    const answer = await super.call(method, path, body, options);
    const headers = JSON.stringify([...answer.headers]);
    this.#watch.check(`the answer to ${method} ${path}`, `${JSON.stringify(answer.body)} ${headers}`);
    return answer;
  }
}

function formsOf(secret: string): [form: string, text: string][] {
  const bytes = Buffer.from(secret);
  // In a longer text, base64 shows it in one of three ways, by where it begins.
  const inBase64 = [0, 1, 2].map((before): [string, string] => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return ["base64", text.slice(before === 0 ? 0 : 4, text.length - 4)];
  });
  return [
    ["plain", secret],
    ["hex", bytes.toString("hex")],
    ["url", encodeURIComponent(secret)],
    ...inBase64,
  ];
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
