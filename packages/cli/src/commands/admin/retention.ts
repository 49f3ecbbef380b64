import type { Retention } from "@berth/sdk";
import { isRetainedName, RETAINED_NAMES, type RetainedName, retentionDays } from "@berth/server/names";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { nameAndValue } from "./name-and-value.ts";

interface RetentionOptions extends AdminOptions {
  org?: string;
}

const IS_DELETED: Readonly<Record<RetainedName, (days: number) => string>> = {
  sessions: (days) => `Sessions in which nothing happened for ${days} days`,
  events: (days) => `The events of sessions that were archived or terminated ${days} days ago`,
  files: (days) => `Files that are ${days} days old and that no active session uses`,
};

export async function getRetention(options: RetentionOptions): Promise<undefined> {
  const { admin, named } = await administer(options);
  await print(await admin.retention.get(await named.organization(options.org)), options);
}

export async function setRetention(
  given: string[],
  options: RetentionOptions & ConfirmOptions,
): Promise<undefined> {
  const values = given.map(parse);
  const deleted = [...new Map(values)].flatMap(([name, days]) =>
    typeof days === "number" ? [IS_DELETED[name](days)] : [],
  );
  const whose = options.org === undefined ? "the organization" : plainLine(options.org);
  const question = `${deleted.join("; ")}: delete these objects of ${whose} from now on?`;
  await change(values, options, deleted.length > 0 ? question : null);
}

export async function unsetRetention(names: string[], options: RetentionOptions): Promise<undefined> {
  await change(
    names.map((name) => [requireName(name), null]),
    options,
  );
}

/** Days, `none` forever. Null restores the value of the settings. */
type Days = number | "none" | null;

/** Changes the days and prints the result. @param question Question to confirm first. Default: none. */
async function change(
  values: [RetainedName, Days][],
  options: RetentionOptions & ConfirmOptions,
  question: string | null = null,
): Promise<void> {
  const { admin, named } = await administer(options);
  if (question !== null) await confirm(question, options);
  const organization = await named.organization(options.org);
  await print(await admin.retention.update(organization, Object.fromEntries(values)), options);
}

async function print({ data }: Retention, options: RetentionOptions): Promise<void> {
  await printResult({ data }, options, () => tableOf(data));
}

function parse(given: string): [RetainedName, Days] {
  const [name, value] = nameAndValue(given);
  if (value === "none") return [requireName(name), "none"];
  const known = requireName(name);
  try {
    return [known, retentionDays(value)];
  } catch (error) {
    throw new UsageError(`'${given}' ${(error as Error).message}, such as ${name}=90, or none.`);
  }
}

function requireName(name: string): RetainedName {
  if (isRetainedName(name)) return name;
  throw new UsageError(
    `There is no retention of '${name}'. Retention exists for: ${RETAINED_NAMES.join(", ")}.`,
  );
}

function tableOf(entries: Retention["data"]): string[] {
  const { dim } = paletteFor(process.stdout);
  const head = ["WHAT", "DAYS", "FROM"].map(dim);
  const rows = entries.map(({ name, days, from }) => [
    name,
    days === null ? "without end" : `${days}`,
    from ?? "-",
  ]);
  return table([head, ...rows]);
}
