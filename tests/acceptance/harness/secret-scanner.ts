import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { Api, type ApiResponse, type CallOptions } from "./api.ts";

/** Looks for secrets in what is shown to it, in every form in which one could pass through. */
export class SecretScanner {
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
    for (const pid of processes) this.check(`the arguments of process ${pid}`, readProcess(pid, "cmdline"));
    return processes.length;
  }

  /** The variables of every process of this machine but those in sandboxes, which are given theirs. */
  checkEnvironments(): void {
    for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name) && !isInSandbox(name)))
      this.check(`the environment of process ${pid}`, readProcess(pid, "environ"));
  }

  /** Every file below a directory, with its name; the holes of sparse ones are not read. */
  checkTree(directory: string): void {
    const input = [...this.#forms.keys()].join("\n");
    const { status, stdout } = spawnSync("bash", ["-c", SEARCH, "bash", directory], {
      input,
      encoding: "utf8",
    });
    assert.ok(status === 0 || status === 1, `${directory} could not be searched`);
    const found = [...new Set(stdout.split("\n"))].flatMap((form) => this.#forms.get(form) ?? []);
    assert.deepEqual(found, [], `secrets below ${directory}`);
  }
}

/** Reads what to search for from standard input. */
const SEARCH = `exec 3<&0; tar --sparse --create --file=- --directory="$1" . 2>/dev/null | grep -a -o -F -f <(cat <&3)`;

const FIRST_SESSION_UID = 300_000;

/** A client whose answers are all watched. */
export class ScannedApi extends Api {
  readonly #watch: SecretScanner;

  constructor(url: string, token: string, watch: SecretScanner) {
    super(url, token);
    this.#watch = watch;
  }

  override async call(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse> {
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
    ["json", JSON.stringify(secret).slice(1, -1)],
    ["hex", bytes.toString("hex")],
    ["url", encodeURIComponent(secret)],
    ...inBase64,
  ];
}

/** Sessions have uids of their own. */
function isInSandbox(pid: string): boolean {
  return (statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0) >= FIRST_SESSION_UID;
}

function readProcess(pid: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
