import { percentile } from "../figure.ts";
import { weighted } from "./cache/prompt.ts";
import type { Run } from "./run.ts";
import type { Exchange } from "./scripted-model.ts";
import { LARGE_FILE } from "./task/repository.ts";
import type { Call, Step } from "./task/translate.ts";

/** What requests cost together, in tokens. */
export interface Sum {
  requests: number;
  input: number;
  read: number;
  written: number;
  uncached: number;
  output: number;
  /** Input at the price of an uncached token. */
  cost: number;
  /** Input of the last step. */
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

/** From the end of the first turn to the first request of the second one, with it. */
export function pauseOf({ exchanges }: Run): Exchange[] {
  const end = exchanges.findLastIndex((exchange) => exchange.turn === 1 && isStep(exchange));
  const begin = exchanges.findIndex((exchange) => exchange.turn === 2 && isStep(exchange));
  return exchanges.slice(end + 1, begin + 1);
}

export interface Compactions {
  count: number;
  /** Tokens of the context around them, in the mean. */
  before: number;
  after: number;
  /** Of the requests for a summary. */
  cost: number;
  refused: number;
}

/** Summaries that come one after another belong to one compaction. */
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

/** How often a step read less than the step just before it had in the cache, without a pause or a summary between them. */
export function breaksOf({ exchanges }: Run): number {
  return exchanges.filter((exchange, index) => {
    const previous = exchanges[index - 1];
    if (previous === undefined || !isStep(previous) || !isStep(exchange)) return false;
    const { read, written5m, written1h } = previous.charge;
    return exchange.turn === previous.turn && exchange.charge.read < read + written5m + written1h;
  }).length;
}

/** Milliseconds from the response to the next request that has its results, of a step or for a summary, after steps that hold. */
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
export const isSleeps = (step: Step) =>
  step.length === 3 && step.every((call) => call.do === "run" && call.command.startsWith("sleep 1 "));

export function median90(values: readonly number[]): [median: number, p90: number] {
  return [percentile(values, 0.5), percentile(values, 0.9)];
}

function isRead(call: Call): boolean {
  return call.do === "read" && call.path !== LARGE_FILE;
}

function isStep({ kind }: Exchange): boolean {
  return kind === "step";
}
