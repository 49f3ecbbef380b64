import { moduleText, type Random, randomFrom } from "./module-text.ts";

const MODULES = 700;
const AREAS = ["billing", "catalog", "delivery", "identity", "ledger", "planning", "search"];
/** A file that the task reads whole. */
export const LARGE_FILE = "src/catalog/all-rules.ts";
export const SUITE = "checks/suite.awk";
/** A line of the suite with the task's fault, and without it. */
export const FAULT = "  return units * cents + 1";
export const CORRECT = "  return units * cents";
export const RUN_SUITE = "awk -f checks/suite.awk";
export const RUN_DUMP = "awk -f checks/dump.awk";

/** Returns the repository of the task, which is the same in each run: contents by path. */
export function taskFiles(): Map<string, string> {
  const random = randomFrom(20_261_128);
  const files = new Map([
    ["README.md", readme()],
    [SUITE, suite()],
    ["checks/dump.awk", dump()],
    [LARGE_FILE, moduleText("all-rules", 2_000, random)],
  ]);
  for (let index = 0; index < MODULES; index++)
    files.set(modulePath(index), moduleText(`${index}`, moduleLines(random), random));
  return files;
}

export function modulePath(index: number): string {
  const number = index % MODULES;
  return `src/${AREAS[number % AREAS.length]}/part-${Math.floor(number / 100)}/module-${number}.ts`;
}

/** Returns a random length. Most are short: 115 lines on average, at most 355. */
function moduleLines(random: Random): number {
  return 35 + Math.floor(320 * random() ** 3);
}

function readme(): string {
  const areas = AREAS.map(
    (area) => `- \`src/${area}\`: what concerns ${area}, in parts of a hundred modules.`,
  );
  return ["# Shop", "", ...areas, "", `Run the checks with \`${RUN_SUITE}\`.`, ""].join("\n");
}

/** Returns a suite of 310 cases, whose output is about 89 kB with the fault and 24.5 kB without. */
function suite(): string {
  return `# Checks the price of a line of an invoice.
function price(units, cents) {
${FAULT}
}

function trace(n, i) {
  for (i = 1; i <= 3; i++)
    printf "      at step%d (src/billing/part-%d/module-%d.ts:%d:%d)\\n", i, n % 7, n * 7, n % 90 + i * 11, i * 7
}

BEGIN {
  for (n = 1; n <= 310; n++) {
    units = n % 17 + 1
    cents = n * 37 % 900 + 99
    found = price(units, cents)
    name = sprintf("invoice line %d: %d units at %d cents make a total", n, units, cents)
    if (found == units * cents) {
      printf "ok %d - %s (took %d.%d ms, ok)\\n", n, name, n % 9, n * 7 % 10
      continue
    }
    failed++
    printf "not ok %d - %s\\n  ---\\n  expected: %d\\n  actual: %d\\n  stack: |\\n", n, name, units * cents, found
    trace(n)
    print "  ..."
  }
  printf "# %d cases, %d failed\\n", n - 1, failed
  exit failed > 0
}
`;
}

/** Returns a program that prints 2 MB. */
function dump(): string {
  return `BEGIN {
  for (n = 1; n <= 22500; n++)
    printf "%06d invoice=%d customer=%d total=%d.%02d state=%s checked by module-%d in %d ms\\n", \\
      n, n * 7919 % 100003, n * 104729 % 9973, n * 31 % 5000, n % 100, n % 3 ? "paid" : "open", n % 700, n % 57
}
`;
}
