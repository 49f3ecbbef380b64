/** A generator of numbers from 0 to below 1. */
export type Random = () => number;

const VERBS = ["apply", "build", "check", "collect", "derive", "match", "merge", "order", "resolve", "split"];
const NOUNS = [
  "account",
  "carrier",
  "credit",
  "discount",
  "invoice",
  "limit",
  "payment",
  "route",
  "shift",
  "stock",
];
const FIELDS = [
  "amount",
  "currency",
  "customer",
  "due",
  "label",
  "origin",
  "priority",
  "region",
  "status",
  "weight",
];

/** Returns a generator with the same sequence for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a module of about this many lines, which begins with a constant `RETRIES_<name>` for an edit. */
export function moduleText(name: string, lines: number, random: Random): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "";
  const number = (below: number) => Math.floor(random() * below);
  const written = [
    `import type { ${capital(pick(NOUNS))} } from "../part-${number(7)}/module-${number(700)}.ts";`,
    "",
    `${retriesLine(name, 3)}`,
  ];
  for (let index = 0; written.length < lines; index++) written.push(...functionText(index, pick, number));
  return `${written.join("\n")}\n`;
}

/** Returns the line of a module that the task edits. */
export function retriesLine(name: string, value: number): string {
  return `const RETRIES_${name.replaceAll("-", "_").toUpperCase()} = ${value};`;
}

function functionText(
  index: number,
  pick: (words: readonly string[]) => string,
  number: (below: number) => number,
): string[] {
  const [verb, noun, field, other] = [pick(VERBS), pick(NOUNS), pick(FIELDS), pick(FIELDS)];
  const [type, many] = [capital(noun), `${noun}s`];
  return [
    "",
    `/** ${capital(verb)}s the ${field} of each ${noun} whose ${other} is above ${number(900)}, and leaves the ${pick(FIELDS)} of the others. */`,
    `export function ${verb}${type}${capital(field)}${index}(${many}: readonly ${type}[], ${other}: number): ${type}[] {`,
    `  const limit = ${other} * ${number(90) + 10} + ${number(1_000)};`,
    `  const chosen = ${many}.filter((${noun}) => ${noun}.${field} > limit);`,
    `  if (chosen.length === 0) return [...${many}];`,
    `  return chosen.map((${noun}) => ({ ...${noun},`,
    `    ${field}: Math.round(${noun}.${field} / ${number(9) + 2}),`,
    `    ${other}: \`${pick(FIELDS)}-\${${noun}.${other}}-${number(10_000)}\`,`,
    "  }));",
    "}",
  ];
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
