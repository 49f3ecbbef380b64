import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { waitUntil } from "../../acceptance/harness/wait-until.ts";
import { commandOf, descendantsOf, killRunner } from "../../crash/processes.ts";
import type { Player } from "./provider.ts";
import type { Stage } from "./stage.ts";
import type { Form, Task, World } from "./task.ts";

const run = promisify(execFile);

/** The world of a session on a stage. */
export class StagedWorld implements World {
  readonly #stage: Stage;
  readonly #task: Task;
  readonly #form: Form;
  readonly #session: string;
  readonly #player: Player;

  constructor(stage: Stage, task: Task, form: Form, session: string, player: Player) {
    this.#stage = stage;
    this.#task = task;
    this.#form = form;
    this.#session = session;
    this.#player = player;
  }

  async push(files: Readonly<Record<string, string>>): Promise<void> {
    const clone = await mkdtemp(join(tmpdir(), "agent-tasks-user-"));
    const git = (...args: string[]) =>
      run("git", ["-C", clone, "-c", "user.name=User", "-c", "user.email=user@example.com", ...args]);
    try {
      await git(
        "clone",
        "--quiet",
        join(this.#stage.repositories, this.#form, `${this.#task.name}.git`),
        ".",
      );
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(clone, path)), { recursive: true });
        await writeFile(join(clone, path), content);
      }
      await git("add", ".");
      await git("commit", "--quiet", "--message", "A change of the user");
      await git("push", "--quiet", "origin", "HEAD:main");
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  }

  async silence(): Promise<void> {
    if (this.#form !== "whole")
      await readEventsUntil(this.#stage.api, this.#session, ({ type }) => type === "agent.context_compacted");
    this.#player.silences += 1;
  }

  async killWhileItSleeps(seconds: number): Promise<void> {
    const { berth } = this.#stage;
    const sleeps = () => descendantsOf(berth.pid).some((pid) => commandOf(pid).trim() === `sleep ${seconds}`);
    await waitUntil(sleeps, () => "The command did not begin to sleep.");
    await killRunner(berth);
  }
}
