import { isUtf8 } from "node:buffer";

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const REPLACED = "\uFFFD";

/**
 * The path of an output as a file name that can be stored, shown and sent. What is no UTF-8 and what controls a terminal
 * is replaced; `changed` tells that.
 */
export function outputName(path: Buffer): { name: string; changed: boolean } {
  const text = path.toString("utf8");
  const name = text.replaceAll(CONTROLS, REPLACED);
  return { name, changed: name !== text || !isUtf8(path) };
}
