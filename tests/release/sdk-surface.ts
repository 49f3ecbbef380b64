import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { METHODS } from "./consumers.ts";
import { ROOT, run } from "./run.ts";

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  emitDeclarationOnly: true,
  noErrorTruncation: true,
  lib: ["es2023", "dom"],
  types: [],
  module: "nodenext",
  moduleResolution: "nodenext",
  target: "es2022",
};

/**
 * Returns every method of the client that a package has installed, with its type as the compiler prints it
 * from the published declarations. The types of bodies, queries and unnamed responses are left out: `Body`, `Query`, `ResponseOf`.
 *
 * @param consumer directory of the package. Some files are written there.
 */
export async function sdkSurface(consumer: string): Promise<string> {
  const program = ["--input-type=module", "--eval", METHODS];
  const names = (await run(process.execPath, program, consumer)).trim().split("\n");
  const values = names.map((name, index) => `export const method${index} = client.${name};`);
  // Types that the package does not export can be printed only when its files are no package.
  cpSync(join(consumer, "node_modules/@berth/sdk/dist"), join(consumer, "surface"), { recursive: true });
  const question = ['import { Berth } from "./surface/index.js";', "declare const client: Berth;", ...values];
  writeFileSync(join(consumer, "surface.ts"), `${question.join("\n")}\n`);
  const project = join(consumer, "surface.json");
  writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ["surface.ts"] }));
  await run(join(ROOT, "node_modules/.bin/tsc"), ["-p", project], consumer);
  const printed = readFileSync(join(consumer, "surface.d.ts"), "utf8").replaceAll(/import\("[^"]*"\)\./g, "");
  const types = printed.split(/^export declare const method\d+: /m).slice(1);
  return names.map((name, index) => `${name}: ${withoutArguments(types[index] ?? "")}\n`).join("");
}

/** Returns a type on one line, without the type arguments of `Body`, `Query` and `ResponseOf`. */
function withoutArguments(type: string): string {
  let text = type.replace(/;\s*(?:export \{\};\s*)?$/, "").replaceAll(/\s+/g, " ");
  for (;;) {
    const [found] = /\b(?:Body|Query|ResponseOf)</.exec(text) ?? [];
    if (found === undefined) return text;
    const start = text.indexOf(found) + found.length - 1;
    let depth = 0;
    let end = start;
    do {
      if (text[end] === "<") depth += 1;
      if (text[end] === ">" && text[end - 1] !== "=") depth -= 1;
      end += 1;
    } while (depth > 0 && end < text.length);
    text = text.slice(0, start) + text.slice(end);
  }
}

const WITH_METHODS = "{client,resources/{events,files,methods,sessions,skills}}.d.ts";

/** Returns the client's methods, as `file: method(`, whose declaration has no comment. Overloads share one. */
export function undocumented(declarations: string): string[] {
  return globSync(WITH_METHODS, { cwd: declarations }).flatMap((file) => {
    const lines = readFileSync(join(declarations, file), "utf8").split("\n");
    return lines.flatMap((line, index) => {
      const [, name] = /^ {4}(\w+)(?:<\w+>)?\(/.exec(line) ?? [];
      if (name === undefined || name === "constructor") return [];
      // The first of several overloads is documented. Only events have some.
      const isOfEvents = file.endsWith("events.d.ts");
      const first = isOfEvents ? lines.findIndex((each) => each.startsWith(`    ${name}(`)) : index;
      return lines[first - 1]?.endsWith("*/") ? [] : [`${file}: ${name}(`];
    });
  });
}
