import type { History } from "../history/history.ts";
import type { Draft, LogEntry } from "../history/log-entry.ts";
import { parentCallOf } from "../history/nested-events.ts";
import { TurnLog } from "../history/turn-log.ts";
import { CACHE_TTL_MS } from "../models/cache-ttl.ts";
import { compactionDraft, summaryMessages, summaryOf } from "../requests/compaction.ts";
import { paysBeforePause } from "../requests/compaction-point.ts";
import type { RequestPrefix } from "../requests/context-window.ts";
import { LearnedWindow } from "../requests/learned-window.ts";
import { Remedies } from "../requests/remedies.ts";
import { failedRequestEnd, requestEnd } from "../requests/request-events.ts";
import { requestPrefix, TurnRequests } from "../requests/turn-requests.ts";
import { customTools } from "../tools/custom-tools.ts";
import type { SummaryTime, Turn } from "./turn.ts";

/** Share of a cache's lifetime after which the summary is made; the rest is for reaching the provider. */
const WAITED_SHARE = 0.8;

type Sender = Pick<Turn, "agent" | "model">;

/** Returns null when a summary does not pay, the model's cache does not expire, or the agent disables it. */
export function idleSummaryTime(
  { agent, model }: Sender,
  prefix: RequestPrefix,
  history: History,
  entries: readonly LogEntry[],
): SummaryTime | null {
  const lifetime = history.carried?.isHour === true ? CACHE_TTL_MS["1h"] : model.cacheLifetimeMs;
  if (lifetime == null || agent.model.compact_when_idle === false) return null;
  if (!paysBeforePause(history, prefix, { prices: model.prices, compactAt: agent.model.compact_at }))
    return null;
  const last = entries.findLast(
    ({ event }) => event.type === "span.model_request_start" && parentCallOf(event) === null,
  )?.event;
  if (last === undefined) return null;
  const asked = Date.parse(last.created_at);
  return { at: asked + lifetime * WAITED_SHARE, until: asked + lifetime };
}

/**
 * Summarises a session that waits for its user, shortly before the provider's cache expires, so that the next
 * request does not send the whole history uncached. Sends one request, without retries; the events are those
 * of a compaction in a turn. If a dead process left a request open, only ends that.
 *
 * @param begin appends the start of the request, once for each pause; returns an empty list when the session
 * has received input.
 */
export async function summariseIdle(
  turn: Turn,
  begin: (drafts: readonly Draft[]) => Promise<readonly LogEntry[]>,
): Promise<"summarised" | "left" | "failed"> {
  const log = new TurnLog(turn.log, turn.agent.model.effective_context_window);
  await log.loadFiles(turn.readFile);
  const history = log.history();
  const requests = new TurnRequests(turn, log);
  if (history.openRequest !== null) {
    await requests.abandon(history.openRequest, null);
    return "left";
  }
  const window = new LearnedWindow(turn.model, turn.agent.model.effective_context_window);
  const tools = { tools: turn.tools, custom: customTools(turn.agent) };
  const prefix = requestPrefix(turn.agent, turn.workspaceDescription, tools);
  const time = idleSummaryTime(turn, prefix, history, turn.log.copy.entries);
  if (time === null || time.until <= (turn.now ?? Date.now)() || turn.signal.aborted) return "left";
  const start = requests.startDraft();
  if ((await begin([start])).length === 0) return "left";
  const sent = new Remedies(prefix, window, new Set()).sendable(history);
  const budget = window.budget(history, sent.prefix, 0);
  const request = { prefix: sent.prefix, ...summaryMessages(sent.messages, budget) };
  const outcome = await requests.send(start.id, history, request);
  if (outcome.type !== "finished") {
    await requests.abandon(start.id, null);
    return outcome.type === "failed" ? "failed" : "left";
  }
  const summary = summaryOf(outcome);
  if (summary === null) {
    await log.append([failedRequestEnd(start.id, outcome.usage)]);
    return "failed";
  }
  await log.append([
    requestEnd(start.id, outcome.usage),
    compactionDraft(summary, history, sent.prefix, budget, null),
  ]);
  return "summarised";
}
