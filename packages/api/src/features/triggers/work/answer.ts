import { formatId } from "@berth/contract";
import type { Database } from "@berth/store/db";
import { at, listAt, textAt } from "../hooks/hook-event.ts";
import {
  type ClaimedDelivery,
  lockClaimed,
  readAnswer,
  storeOutcome,
  waitForSession,
} from "../store/trigger-delivery-store.ts";
import type { TriggerRow } from "../store/trigger-store.ts";
import { type SpeakDeps, speak } from "./speak.ts";
import { beganText, endedText, stuckText, waitsText } from "./trigger-texts.ts";

export interface AnswerDeps extends SpeakDeps {
  db: Database;
  /** Base of the console's pages, for links; null if it is not known. */
  consoleUrl: string | null;
}

/** Milliseconds after which a session that waits for a confirmation is looked at again. */
const WAIT_MS = 15_000;

/** Says where it was asked that a session works on it, or what came of it. @throws GitHostError, SpeakError */
export async function answer(
  deps: AnswerDeps,
  trigger: TriggerRow,
  delivery: ClaimedDelivery,
  claim: string,
): Promise<void> {
  const { id, sessionId, status, work } = delivery;
  const { place } = work;
  const next = async (step: "end" | null) =>
    await deps.db.transaction(async (tx) => {
      if (await lockClaimed(tx, id, claim)) await storeOutcome(tx, id, { status, answer: step });
    });
  if (place === null || sessionId === null) return await next(null);
  const say = (what: "began" | "waits" | "ended", text: string | null) =>
    speak(deps, trigger, place, { delivery: id, what, text });
  const link =
    deps.consoleUrl === null ? null : `${deps.consoleUrl}/sessions/${formatId("session", sessionId)}`;
  if (delivery.answer === "begin") {
    // In a thread that goes on, the sign is enough.
    await say("began", status === "started" ? beganText(link) : null);
    return await next("end");
  }
  const found = await readAnswer(deps.db.write, delivery);
  if (found === null || found.isSuperseded) return await next(null);
  if (found.isAwaiting) {
    if (work.hasToldWait !== true) await say("waits", waitsText(link));
    return await waitForSession(deps.db.write, id, claim, WAIT_MS);
  }
  await say("ended", found.isStuck ? stuckText(link) : endedText(textOf(found.last), link));
  await next(null);
}

/** Returns the text of a message of the agent, or null. */
function textOf(message: unknown): string | null {
  const parts = listAt(message, "content").flatMap((block) => {
    const text = at(block, "type") === "text" ? textAt(block, "text") : null;
    return text === null ? [] : [text];
  });
  return parts.length === 0 ? null : parts.join("\n\n");
}
