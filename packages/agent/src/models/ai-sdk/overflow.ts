import type { Overflow } from "../model.ts";
import type { ProviderWords } from "./provider-words.ts";

/**
 * Reads from a provider's error that the request has more tokens than the model takes, by the texts and codes
 * of known servers. `certain: false` means that the rejected request may be too large, because the message
 * mentions size. Returns null for other errors.
 */
export function overflowOf(status: number | null, words: ProviderWords): Overflow | null {
  const text = `${words.codes} ${words.message}`;
  if (status === 413 || KNOWN.test(text)) return { certain: true, ...sizesOf(words) };
  const suggests = (status === 400 || status === 422) && SUGGESTS.test(words.message);
  return suggests && !OUTPUT_LIMIT.test(words.message) ? { certain: false, ...sizesOf(words) } : null;
}

/** Texts and codes of the servers in `test-support/servers`. */
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

/** Words that a provider's error for a too large request is likely to have. */
const SUGGESTS = /token|length|context|prompt|too (long|large|big)/i;

/** An error about the operator's `max_output_tokens`, which a shorter history does not fix. */
const OUTPUT_LIMIT =
  /completion tokens|max_(new_|output_|completion_)?tokens['"`]?:? (must|should|is too large|cannot|exceeds)|maximum output/i;

/** Numbers below are counts of messages, status codes and the like. */
const FEWEST_TOKENS = 512;

/**
 * Finds the limit and the size of the request. The limit is the smaller of two numbers that the text
 * compares: a request that did not fit was larger.
 */
function sizesOf({ message, json }: ProviderWords): { limit: number | null; requested: number | null } {
  const named = namedSizes(json);
  const numbers = numbersOf(message);
  const limit = named.limit ?? statedLimit(message) ?? (numbers.length > 1 ? Math.min(...numbers) : null);
  if (limit === null) return { limit, requested: named.requested };
  const larger = numbers.filter((number) => number > limit);
  const requested = named.requested ?? statedSum(message) ?? (larger.length > 0 ? Math.max(...larger) : null);
  return { limit, requested };
}

/** Reads texts such as `188240 + 21333 > 200000`, with the input and the output limit. */
function statedSum(message: string): number | null {
  const [, input, output] = /(\d+) \+ (\d+) > \d/.exec(message) ?? [];
  return input === undefined ? null : Number(input) + Number(output);
}

const LIMIT = [
  // Matches a comparison, but not with a difference.
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

/** Reads the fields of the error in which llama.cpp and ik_llama.cpp state both sizes. */
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
