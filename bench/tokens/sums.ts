import { percentile } from "../figure.ts";
import { weighted } from "./cache/prompt.ts";
import type { Run } from "./run.ts";
import type { Exchange } from "./scripted-model.ts";
import { LARGE_FILE } from "./task/repository.ts";
import type { Call, Step } from "./task/translate.ts";

/** The total cost of requests, in tokens. */
export interface Sum {
  requests: number;
  input: number;
  read: number;
  written: number;
  uncached: number;
  output: number;
  /** The input, weighted to the price of an uncached token. */
  cost: number;
  /** Input tokens of the last step. */
  context: number;
}

export function sumOf(exchanges: readonly Exchange[]): Sum {
  const sum = (value: (exchange: Exchange) => number) =>
    exchanges.reduce((total, exchange) => total + value(exchange), 0);
  return {
    requests: exchanges.length,
    input: sum(({ kind, input }) => (kind === "refused" ? 0 : input)),
    read: sum(({ charge }) => charge.read),
    written: sum(({ charge }) => charge.written5m + charge.written1h),
    uncached: sum(({ charge }) => charge.uncached),
    output: sum(({ output }) => output),
    cost: sum(({ charge }) => weighted(charge)),
    context: exchanges.findLast(isStep)?.input ?? 0,
  };
}

export function turnOf({ exchanges }: Run, turn: number): Exchange[] {
  return exchanges.filter((exchange) => exchange.turn === turn);
}

/** Returns the exchanges from the end of the first turn to the first request of the second one, inclusive. */
export function pauseOf({ exchanges }: Run): Exchange[] {
  const end = exchanges.findLastIndex((exchange) => exchange.turn === 1 && isStep(exchange));
  const begin = exchanges.findIndex((exchange) => exchange.turn === 2 && isStep(exchange));
  return exchanges.slice(end + 1, begin + 1);
}

/** The compactions of a run. `refused` counts the requests that exceeded the window. */
export interface Compactions {
  count: number;
  /** Mean tokens of the context before and after them. */
  before: number;
  after: number;
  /** The cost of the summary requests. */
  cost: number;
  refused: number;
}

/** Returns the compactions. Consecutive summaries belong to one compaction. */
export function compactionsOf({ exchanges }: Run): Compactions {
  const pairs = exchanges.flatMap((exchange, index) => {
    if (!isStep(exchange)) return [];
    const previous = exchanges.findLastIndex((one, at) => at < index && isStep(one));
    const between = exchanges.slice(previous + 1, index);
    const isCompaction = previous >= 0 && between.some(({ kind }) => kind === "summary");
    return isCompaction ? [{ before: exchanges[previous]?.input ?? 0, after: exchange.input }] : [];
  });
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    count: pairs.length,
    before: mean(pairs.map(({ before }) => before)),
    after: mean(pairs.map(({ after }) => after)),
    cost: sumOf(exchanges.filter(({ kind }) => kind === "summary")).cost,
    refused: exchanges.filter(({ kind }) => kind === "refused").length,
  };
}

/**
 * Counts steps that read less than the previous step had in the cache, without a pause or summary in between.
 */
export function breaksOf({ exchanges }: Run): number {
  return exchanges.filter((exchange, index) => {
    const previous = exchanges[index - 1];
    if (previous === undefined || !isStep(previous) || !isStep(exchange)) return false;
    const { read, written5m, written1h } = previous.charge;
    return exchange.turn === previous.turn && exchange.charge.read < read + written5m + written1h;
  }).length;
}

/**
 * Returns milliseconds from a response to the next request with its results, for steps that satisfy `holds`.
 * The request is for a step or a summary.
 */
export function gapsOf({ exchanges }: Run, holds: (step: Step) => boolean): number[] {
  return exchanges.flatMap(({ step, answeredAt }, index) => {
    const next = exchanges[index + 1];
    return step !== null && holds(step) && (next?.kind === "step" || next?.kind === "summary")
      ? [next.arrivedAt - answeredAt]
      : [];
  });
}

export const isSmallRead = (step: Step) => step.length === 1 && step.every((call) => isRead(call));
export const isFourReads = (step: Step) => step.length === 4 && step.every((call) => isRead(call));
/** Whether a step is the script's three sleeping commands. */
export const isSleeps = (step: Step) =>
  step.length === 3 && step.every((call) => call.do === "run" && call.command.startsWith("sleep 1 "));

/** Returns the median and the 90th percentile. */
export function median90(values: readonly number[]): [median: number, p90: number] {
  return [percentile(values, 0.5), percentile(values, 0.9)];
}

function isRead(call: Call): boolean {
  return call.do === "read" && call.path !== LARGE_FILE;
}

function isStep({ kind }: Exchange): boolean {
  return kind === "step";
}
