import { isObject } from "./json-text.ts";
import { pythonRange } from "./python-range.ts";
import { readToml } from "./toml-text.ts";
import { readVersionFile, runtimeNamed } from "./version-files.ts";
import { rangeMeaning, versionMeaning } from "./version-text.ts";
import { FileReading, NOTHING, type ParsedFile, printable, unreadable } from "./wish.ts";

/** Reads the tools of `mise.toml`. Of several versions of one, the first counts. */
export function readMise(text: string): ParsedFile {
  const toml = readToml(text);
  if (typeof toml === "string") return unreadable(toml);
  const { tools } = toml.value;
  if (!isObject(tools)) return NOTHING;
  const reading = new FileReading();
  for (const [name, given] of Object.entries(tools)) {
    const line = toml.lineOf("tools", name);
    const runtime = runtimeNamed(name);
    if (runtime === null) {
      reading.ignore(line, `Berth has no runtime '${printable(name, 40)}'`);
      continue;
    }
    const [first] = Array.isArray(given) ? given : [given];
    reading.wish(runtime, isObject(first) ? first.version : first, line, versionMeaning);
  }
  return reading.parsed;
}

/** Reads the versions of Python that a `pyproject.toml` says to work with. */
export function readPyproject(text: string): ParsedFile {
  const toml = readToml(text);
  if (typeof toml === "string") return unreadable(toml);
  const reading = new FileReading();
  const { project, tool } = toml.value;
  if (isObject(project) && project["requires-python"] !== undefined)
    reading.wish(
      "python",
      project["requires-python"],
      toml.lineOf("project", "requires-python"),
      pythonRange,
    );
  const poetry = isObject(tool) && isObject(tool.poetry) ? tool.poetry : {};
  const dependencies = isObject(poetry.dependencies) ? poetry.dependencies : {};
  if (dependencies.python !== undefined)
    reading.wish(
      "python",
      dependencies.python,
      toml.lineOf("tool.poetry.dependencies", "python"),
      poetryRange,
    );
  return reading.parsed;
}

/** Poetry writes ranges as npm does, and also as Python does. */
function poetryRange(text: string) {
  const own = rangeMeaning(text, "python");
  return typeof own === "string" ? pythonRange(text) : own;
}

/** Reads `rust-toolchain.toml`, and `rust-toolchain`, which may hold only the name of a toolchain. */
export function readRustToolchain(text: string): ParsedFile {
  if (!text.includes("[")) return readVersionFile("rust", text);
  const toml = readToml(text);
  if (typeof toml === "string") return unreadable(toml);
  const { toolchain } = toml.value;
  if (!isObject(toolchain)) return NOTHING;
  const reading = new FileReading();
  if (toolchain.channel === undefined) reading.ignore(null, "it names no channel");
  else reading.wish("rust", toolchain.channel, toml.lineOf("toolchain", "channel"), versionMeaning);
  return reading.parsed;
}
