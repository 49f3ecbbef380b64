import { RUNTIMES } from "@berth/contract";
import { isObject, type JsonText, readJsonObject } from "./json-text.ts";
import { versionMeaning } from "./version-text.ts";
import { FileReading, type ParsedFile, printable, unreadable } from "./wish.ts";

/** Publishers of features whose names mean the same. */
const FEATURE =
  /^ghcr\.io\/(?:devcontainers|devcontainers-extra|devcontainers-contrib)\/features\/([a-z0-9-]+)(?:[:@].*)?$/;

/** Reads the runtimes among the features of a `devcontainer.json`. */
export function readDevcontainerFeatures(text: string): ParsedFile {
  const json = readJsonObject(text, { comments: true });
  return typeof json === "string" ? unreadable(json) : featuresOf(json);
}

/** Reads the runtimes among the features. Other features are ignored, each with its reason. */
export function featuresOf({ value, lineOf }: JsonText): ParsedFile {
  const { features } = value;
  const reading = new FileReading();
  if (!isObject(features)) return reading.parsed;
  for (const [id, options] of Object.entries(features)) {
    const line = lineOf("features", id);
    const name = FEATURE.exec(id)?.[1] ?? "";
    const runtime = RUNTIMES.find((one) => one === name);
    if (runtime === undefined) {
      reading.ignore(line, `the feature '${printable(id, 80)}' is no runtime that Berth has`);
      continue;
    }
    const version = isObject(options) ? options.version : options;
    // What these features install when no version is named.
    const usual = runtime === "node" ? "lts" : "latest";
    reading.wish(runtime, version ?? usual, line, versionMeaning);
    const pnpm = isObject(options) ? options.pnpmVersion : undefined;
    if (runtime === "node" && typeof pnpm === "string" && pnpm !== "none")
      reading.wish("pnpm", pnpm, line, versionMeaning);
  }
  return reading.parsed;
}
