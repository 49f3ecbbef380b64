import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { Api, type ApiResponse, type CallOptions } from "./api.ts";

/** A scanner that searches texts, processes and files for secrets, plain and in the usual encodings. */
export class SecretScanner {
  readonly #forms = new Map<string, string>();

  /** Adds a secret and returns it. */
  add(name: string, secret: string): string {
    for (const [form, text] of formsOf(secret)) this.#forms.set(text, `${name} (${form})`);
    return secret;
  }

  /** Asserts that the text contains no secret. */
  check(where: string, text: string): void {
    for (const [form, name] of this.#forms) {
      const at = text.indexOf(form);
      if (at < 0) continue;
      const around = text.slice(Math.max(0, at - 60), at + form.length + 20).replaceAll(form, "<here>");
      assert.fail(`${name} is in ${where}: …${around}…`);
    }
  }

  /**
   * Checks the arguments of every process of this machine, sandboxes included, and returns the number of
   * processes.
   */
  checkArguments(): number {
    const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
    for (const pid of processes) this.check(`the arguments of process ${pid}`, readProcess(pid, "cmdline"));
    return processes.length;
  }

  /**
   * Checks the variables of every process of this machine except those in sandboxes, which may have secrets.
   */
  checkEnvironments(): void {
    for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name) && !isInSandbox(name)))
      this.check(`the environment of process ${pid}`, readProcess(pid, "environ"));
  }

  /** Checks the name and content of every file below a directory; holes of sparse files are not read. */
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

/** A bash script that reads the texts to search for from standard input. */
const SEARCH = `exec 3<&0; tar --sparse --create --file=- --directory="$1" . 2>/dev/null | grep -a -o -F -f <(cat <&3)`;

const FIRST_SESSION_UID = 300_000;

/** A client that checks all responses. */
export class ScannedApi extends Api {
  readonly #scanner: SecretScanner;

  constructor(url: string, token: string, scanner: SecretScanner) {
    super(url, token);
    this.#scanner = scanner;
  }

  override async call(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse> {
    const response = await super.call(method, path, body, options);
    const headers = JSON.stringify([...response.headers]);
    this.#scanner.check(`the response to ${method} ${path}`, `${JSON.stringify(response.body)} ${headers}`);
    return response;
  }
}

function formsOf(secret: string): [form: string, text: string][] {
  const bytes = Buffer.from(secret);
  // The base64 form within a longer text depends on the offset modulo 3.
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

/** Whether a process is in a sandbox. Sandboxes have uids from FIRST_SESSION_UID on. */
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
