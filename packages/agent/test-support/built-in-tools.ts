import { DEFAULT_RESULT_BYTES } from "@berth/contract";
import { bash as makeBash } from "../src/tools/bash.ts";
import { grep as makeGrep } from "../src/tools/grep.ts";
import { read as makeRead } from "../src/tools/read.ts";

export { glob } from "../src/tools/glob.ts";

/** The built-in tools of an agent that sets no limits. */
export const bash = makeBash(DEFAULT_RESULT_BYTES.Bash);
export const grep = makeGrep(DEFAULT_RESULT_BYTES.Grep);
export const read = makeRead(DEFAULT_RESULT_BYTES.Read);
