import { DEFAULT_RESULT_BYTES } from "@berth/contract";
import { bash as makeBash } from "../src/tools/bash.ts";
import { glob as makeGlob } from "../src/tools/glob.ts";
import { grep as makeGrep } from "../src/tools/grep.ts";
import { read as makeRead } from "../src/tools/read.ts";

const compact = (name: keyof typeof DEFAULT_RESULT_BYTES) => ({
  maxBytes: DEFAULT_RESULT_BYTES[name],
  isCompact: true,
});

/** The built-in tools of a session with the newest `PREFIX_VERSION`. */
export const bash = makeBash(compact("Bash"));
export const glob = makeGlob({ isCompact: true });
export const grep = makeGrep(compact("Grep"));
export const read = makeRead(compact("Read"));
