import type { LaterRuntimes, LayerRuntimes, Sandbox, SandboxEngine } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { RuntimeCatalogue } from "@berth/store/runtimes";
import type { Logger } from "pino";
import type { Choices } from "../choices/choices.ts";
import type { RepositoryFiles } from "../choices/choose.ts";
import { isRepository, readResources } from "../inputs/resource-store.ts";
import { chosenParts, type RunSession, type ToChoose } from "../inputs/session-inputs-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { Activity } from "../repositories/activity.ts";
import { chooseRuntimes } from "./choose-runtimes.ts";
import { EnvironmentProgress } from "./environment-progress.ts";
import { devcontainerOf, readOwnDevcontainer } from "./own-devcontainer.ts";
import { readChoiceFiles } from "./read-choice-files.ts";
import { reportMissing } from "./report-missing.ts";
import { missingSentence, type RuntimeDeps, runtimeFaults, sessionRuntimes } from "./session-runtimes.ts";

export interface ChoiceDeps extends RuntimeDeps {
  db: { read: Queryable; write: Queryable };
  /** The versions of runtimes; null where sandboxes cannot have them. */
  runtimeVersions: Pick<RuntimeCatalogue, "versions"> | null;
  engine: Pick<SandboxEngine, "runsImages">;
  mask(text: string): string;
  log: Pick<Logger, "error">;
}

export interface ChoiceTarget {
  /** The session, which has its choice once it is made. */
  session: RunSession;
  sandbox: Pick<Sandbox, "run" | "closed">;
  runLog: RunLog;
  /** Collects notes for the model. */
  notes: string[];
  /** Aborts when no sandbox is needed. */
  readonly signal: AbortSignal;
  activity: Activity;
  /** Where its runtimes come; null where sandboxes cannot have them. */
  later: LaterRuntimes | null;
}

/**
 * The choice of a session's runtimes, and of what it follows of a `devcontainer.json`, from the files of its
 * repositories, in the sandbox that was opened without them. If the session chooses an image, this sandbox is
 * of no further use, and another is to be opened.
 *
 * It is made once the repositories that are being placed are there or have failed, and stored with the event
 * that tells it. Until that is stored, the next sandbox makes it again. A session without a repository
 * chooses when it gets one.
 */
export class RuntimeChoice {
  readonly #deps: ChoiceDeps;
  readonly #target: ChoiceTarget;
  /** Repositories that are being placed, by uuid. */
  readonly #expected = new Map<string, PromiseWithResolvers<void>>();
  /** Repositories that are in place, and wait for the choice to be set up. */
  readonly #placed = new Set<string>();
  #choosing: Promise<void> | undefined;
  #isMade = false;
  #choseImage = false;
  #runtimes: LayerRuntimes | null = null;

  constructor(deps: ChoiceDeps, target: ChoiceTarget) {
    this.#deps = deps;
    this.#target = target;
  }

  get isMade(): boolean {
    return this.#isMade;
  }

  /** Whether an image was chosen, which only the next sandbox has. Then this one gets no runtimes. */
  get choseImage(): boolean {
    return this.#choseImage;
  }

  /** The chosen runtimes of this sandbox; null before, and when there are none. */
  get runtimes(): LayerRuntimes | null {
    return this.#runtimes;
  }

  /** Lets the choice wait for a repository. */
  expect(id: string): void {
    this.#expected.set(id, Promise.withResolvers());
  }

  /** Ends the wait for a repository, which is in place or has failed. */
  arrive(id: string): void {
    this.#expected.get(id)?.resolve();
  }

  /**
   * Returns the runtimes for a repository that is in place, once they are chosen.
   *
   * @returns null when there are none, when an image was chosen, or when the sandbox was closed.
   */
  async placed(id: string): Promise<LayerRuntimes | null> {
    this.#placed.add(id);
    this.arrive(id);
    await this.make();
    return this.#runtimes;
  }

  /** Makes the choice when the expected repositories have arrived. Never rejects. */
  async make(): Promise<void> {
    if (this.#isMade) return;
    this.#choosing ??= this.#make()
      .catch((error: unknown) => {
        if (!this.#target.signal.aborted)
          this.#deps.log.error({ err: error }, "the runtimes of a session could not be chosen");
      })
      .finally(() => {
        this.#choosing = undefined;
      });
    await this.#choosing;
  }

  async #make(): Promise<void> {
    const { sandbox, runLog, notes, session, signal } = this.#target;
    await Promise.all([...this.#expected.values()].map(({ promise }) => promise));
    const repositories = (await readResources(this.#deps.db.write, session.id))
      .filter(isRepository)
      .filter(({ id, ready }) => ready || this.#placed.has(id));
    const { toChoose } = session;
    const isThere = repositories.some(({ id }) => id === toChoose?.devcontainer);
    if (toChoose === null || repositories.length === 0 || (toChoose.devcontainer !== null && !isThere))
      return;
    const read = await Promise.all(
      repositories.map(async ({ id, mountPath }) => ({
        ...{ id, mountPath },
        files: await readChoiceFiles(sandbox, mountPath, signal),
      })),
    );
    const files = read.flatMap((one) => (one.files === null ? [] : [{ ...one, files: one.files }]));
    if (files.length < read.length) return;
    const choices = await runLog.appendChoice(await this.#choose(toChoose, files));
    Object.assign(session, { ...chosenParts(session.runtimes, choices), toChoose: null });
    this.#isMade = true;
    this.#choseImage = session.devcontainer !== null && session.devcontainer.image !== null;
    notes.push(...session.missingRuntimes.map((one) => `[${missingSentence(one)}]`));
    if (!this.#choseImage) await this.#give();
  }

  async #choose(
    { auto, devcontainer: from }: ToChoose,
    repositories: readonly (RepositoryFiles & { mountPath: string })[],
  ): Promise<Choices> {
    const { runtimeVersions, engine } = this.#deps;
    const { image } = this.#target.session;
    const hasRuntimes = runtimeVersions !== null;
    const rules = { hasRuntimes, runsImages: engine.runsImages === true, image };
    const own = repositories.find(({ id }) => id === from) ?? null;
    const reading = own === null ? null : readOwnDevcontainer(own, rules);
    const asking = auto || own === null ? repositories : [{ ...own, files: devcontainerOf(own) }];
    const named = this.#target.session.runtimes.map(({ runtime }) => runtime);
    const runtimes =
      runtimeVersions === null ? null : await chooseRuntimes(runtimeVersions, asking, auto ? [] : named);
    // Without `auto` what is ignored is told as not honoured.
    const isEmpty = runtimes !== null && runtimes.runtimes.length + runtimes.missing.length === 0;
    return {
      runtimes: !auto && isEmpty ? null : runtimes,
      devcontainer: reading?.shown ?? null,
      variables: reading?.variables ?? {},
      setup: reading?.setup ?? null,
    };
  }

  /** Gives the chosen runtimes to the sandbox. */
  async #give(): Promise<void> {
    const { sandbox, runLog, session, signal, later } = this.#target;
    const progress = new EnvironmentProgress(runLog, signal);
    const prepared = await sessionRuntimes(this.#deps, { session, signal, progress }).finally(() =>
      progress.end(),
    );
    if (prepared === null || later === null) return;
    void sandbox.closed.then(() => prepared.release());
    await later.give(prepared);
    this.#runtimes = prepared;
    for (const fault of runtimeFaults(prepared)) await reportMissing(this.#deps, this.#target, fault);
  }
}
