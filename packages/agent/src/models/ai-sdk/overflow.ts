import type { Overflow } from "../model.ts";
import type { ProviderWords } from "./provider-words.ts";

/**
 * Reads from a refusal that the request has more tokens than the model takes, by the texts and codes of known servers; or, as
 * `certain: false`, that a rejected request may have, because the refusal speaks of what a smaller one has less of. Null: neither.
 */
export function overflowOf(status: number | null, words: ProviderWords): Overflow | null {
  const text = `${words.codes} ${words.message}`;
  if (status === 413 || KNOWN.test(text)) return { certain: true, ...sizesOf(words) };
  const suggests = (status === 400 || status === 422) && SUGGESTS.test(words.message);
  return suggests && !OUTPUT_LIMIT.test(words.message) ? { certain: false, ...sizesOf(words) } : null;
}

/** The texts and codes of the servers in `test-support/servers`. */
const KNOWN = new RegExp(
  [
    "context_length_exceeded",
    "exceed_context_size",
    "ContextWindowExceeded",
    "maximum context length",
    "maximum (allowed )?(prompt|input|sequence) length",
    "context[ _-]?(window|length|limit|size)",
    "(prompt|input|request|message)s?( length)? (is|are) too (long|large)",
    "prompt too long",
    "too large for model with \\d+ maximum",
    "input tokens? (count )?.{0,20}exceeds?",
    "exceed(s|ed)? (the )?(model'?s? )?(max(imum)? )?(length|token limit|number of tokens|prompt length|sequence length)",
    "exceeds max length",
    "max(imum)? length exceeded",
    "exceeds the maximum number of tokens",
    "range of input length should be",
    "inputs?`? tokens? \\+ .{0,40}max_new_tokens",
    "(longer|greater) than (the )?(model'?s )?(context|maximum)",
    "reduce the length of (the|your) (messages|prompt|input)",
    "tokens per minute.{0,40}limit.{0,40}reduce your message size",
    "request too large for .{0,200}(tokens per min|TPM)",
    "larger than the (maximum )?context",
    "max_(model|seq)_len",
    "input_too_large",
    "n_keep .{0,20}n_ctx",
  ].join("|"),
  "i",
);

/** What a refusal of a request that is too large speaks of, in whatever words. */
const SUGGESTS = /token|length|context|prompt|too (long|large|big)/i;

/** A fault of the operator's `max_output_tokens`, which no shorter history mends. */
const OUTPUT_LIMIT =
  /completion tokens|max_(new_|output_|completion_)?tokens['"`]?:? (must|should|is too large|cannot|exceeds)|maximum output/i;

/** Numbers below are counts of messages, status codes and the like. */
const FEWEST_TOKENS = 512;

/** The limit is the smaller one of the two numbers that the text compares: a request that did not fit was larger. */
function sizesOf({ message, json }: ProviderWords): { limit: number | null; requested: number | null } {
  const named = namedSizes(json);
  const numbers = numbersOf(message);
  const limit = named.limit ?? statedLimit(message) ?? (numbers.length > 1 ? Math.min(...numbers) : null);
  if (limit === null) return { limit, requested: named.requested };
  const larger = numbers.filter((number) => number > limit);
  const requested = named.requested ?? statedSum(message) ?? (larger.length > 0 ? Math.max(...larger) : null);
  return { limit, requested };
}

/** `188240 + 21333 > 200000`: the input and the output limit. */
function statedSum(message: string): number | null {
  const [, input, output] = /(\d+) \+ (\d+) > \d/.exec(message) ?? [];
  return input === undefined ? null : Number(input) + Number(output);
}

const LIMIT = [
  // A comparison, but none with a difference.
  />\s*(\d[\d,_]{2,})(?![\d,_]|\s*-)/,
  /(?:maximum|max|limit|up to|at most|available|supports?|allowed|allows|≤|<=)[^\d.;]{0,60}?(\d[\d,_]{2,})/i,
  /(\d[\d,_]{2,}) (?:tokens? )?(?:maximum|limit|max\b|context)/i,
  /\[\d+, ?(\d[\d,_]{2,})\]/,
];

function statedLimit(message: string): number | null {
  for (const pattern of LIMIT) {
    const number = numberOf(pattern.exec(message)?.[1]);
    if (number !== null) return number;
  }
  return null;
}

/** llama.cpp and ik_llama.cpp state both as fields of the error. */
function namedSizes(json: unknown): { limit: number | null; requested: number | null } {
  const error = isObject(json) && isObject(json.error) ? json.error : isObject(json) ? json : {};
  return { limit: tokens(error.n_ctx), requested: tokens(error.n_prompt_tokens) };
}

function tokens(value: unknown): number | null {
  return typeof value === "number" && value >= FEWEST_TOKENS ? value : null;
}

function numbersOf(message: string): number[] {
  const found = message.match(/(?<![\w.])\d[\d,_]*(?![\w.]*[a-z])/gi) ?? [];
  return [...new Set(found.flatMap((text) => numberOf(text) ?? []))];
}

function numberOf(text: string | undefined): number | null {
  const number = Number((text ?? "").replaceAll(/[,_]/g, "") || Number.NaN);
  return Number.isSafeInteger(number) && number >= FEWEST_TOKENS ? number : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
