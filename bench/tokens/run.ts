import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { install } from "../race/install.ts";
import type { Contender, Opened, Session } from "./agents/contender.ts";
import type { GapPart } from "./gap-parts.ts";
import { type Exchange, ScriptedModel } from "./scripted-model.ts";
import { taskFiles } from "./task/repository.ts";
import type { Script } from "./task/script.ts";
import type { CountTokens } from "./tokenizer.ts";

const PAUSE_STEP_MS = 1_000;
const MAX_TURN_MS = 900_000;

/** All requests of a contender in one script. */
export interface Run {
  contender: Contender;
  script: Script["name"];
  exchanges: readonly Exchange[];
  /** The requests of a second session with an empty task, after the first one. */
  second: readonly Exchange[];
  /** See `Opened`. */
  gapParts: readonly GapPart[];
}

/**
 * Lets one contender follow a script, alone, with an empty cache and new folders.
 *
 * @throws if it cannot be installed, does not start, or ends a turn before the script does.
 */
export async function follow(contender: Contender, script: Script, count: CountTokens): Promise<Run> {
  const installed = await install(contender.packages);
  const folder = await mkdtemp(join(tmpdir(), "bench-tokens-"));
  const model = new ScriptedModel({ ...contender, count, window: script.window });
  try {
    const url = await model.listen();
    const place = { installed, folder, model: url, window: script.window, files: taskFiles() };
    const opened = await contender.open(place);
    try {
      model.root = opened.root;
      await playTurns(model, opened, script);
      const exchanges = [...model.exchanges];
      const gapParts = (await opened.gapParts?.()) ?? [];
      await playSecond(model, opened);
      const second = model.exchanges.slice(exchanges.length);
      return { contender, script: script.name, exchanges, second, gapParts };
    } finally {
      await opened.close();
    }
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function playTurns(model: ScriptedModel, opened: Opened, script: Script): Promise<void> {
  const session = await opened.session();
  try {
    for (const [index, turn] of script.turns.entries()) {
      if (index > 0) await rest(model, session, script.pauseMs);
      model.play(turn.steps);
      await Promise.race([session.send(turn.message), tooLate(model)]);
      if (model.stepsLeft > 0) throw new Error(`ended its turn with ${model.stepsLeft} steps left`);
    }
  } finally {
    await session.close();
  }
}

/** Waits for the longest time of a turn. @throws when it is over. */
async function tooLate(model: ScriptedModel): Promise<never> {
  await pause(MAX_TURN_MS, null, { ref: false });
  throw new Error(
    `did not end its turn in ${MAX_TURN_MS / 60_000} minutes, with ${model.stepsLeft} steps left`,
  );
}

async function playSecond(model: ScriptedModel, opened: Opened): Promise<void> {
  model.play([]);
  const session = await opened.session();
  await session.send("Say that you are done.");
  await session.close();
}

/**
 * Advances the provider's clock in two parts, around the agent's actions while idle. With BENCH_REAL_PAUSE
 * the time really passes for an agent that does not report such actions.
 */
async function rest(model: ScriptedModel, { atRest }: Session, milliseconds: number): Promise<void> {
  if (atRest !== undefined) {
    const before = Math.min(atRest.afterMs, milliseconds);
    model.advance(before);
    await atRest.done();
    return model.advance(milliseconds - before);
  }
  if (process.env.BENCH_REAL_PAUSE === undefined) return model.advance(milliseconds);
  for (let passed = 0; passed < milliseconds; passed += PAUSE_STEP_MS) {
    await pause(PAUSE_STEP_MS);
    model.advance(PAUSE_STEP_MS);
  }
}
