import type { Limits } from "@berth/sdk";
import { isLimitName, LIMIT_NAMES, type LimitName, limitValue } from "@berth/server/names";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { table } from "../../terminal/table.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { nameAndValue } from "./name-and-value.ts";

interface LimitOptions extends AdminOptions {
  org?: string;
  user?: string;
}

export async function getLimits(options: LimitOptions): Promise<undefined> {
  const owner = ownerOf(options);
  const { admin, named } = await administer(options);
  await print(await admin.limits.get(await named.owner(owner)), options);
}

export async function setLimits(given: string[], options: LimitOptions): Promise<undefined> {
  await change(given.map(parse), options);
}

export async function unsetLimits(names: string[], options: LimitOptions): Promise<undefined> {
  await change(
    names.map((name) => [requireName(name), null]),
    options,
  );
}

/** Value of a limit. Null restores the one of the settings. */
type Value = number | "none" | null;

/** Changes the limits and prints the result. */
async function change(values: [LimitName, Value][], options: LimitOptions): Promise<void> {
  const owner = ownerOf(options);
  const { admin, named } = await administer(options);
  const changed = await admin.limits.update(await named.owner(owner), Object.fromEntries(values));
  await print(changed, options);
}

async function print({ data }: Limits, options: LimitOptions): Promise<void> {
  await printResult({ data }, options, () => tableOf(data));
}

function ownerOf({ org, user }: LimitOptions) {
  if (org !== undefined && user !== undefined)
    throw new UsageError("Set either --org or --user, the owner of the limits.");
  return { organization: org, user };
}

function parse(given: string): [LimitName, Value] {
  const [name, value] = nameAndValue(given);
  if (value === "none") return [requireName(name), "none"];
  try {
    return [requireName(name), limitValue(requireName(name), value)];
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`'${given}' ${(error as Error).message}, such as ${name}=100, or none.`);
  }
}

function requireName(name: string): LimitName {
  if (isLimitName(name)) return name;
  throw new UsageError(`There is no limit '${name}'. The limits are: ${LIMIT_NAMES.join(", ")}.`);
}

function tableOf(limits: Limits["data"]): string[] {
  const { dim } = paletteFor(process.stdout);
  const head = ["LIMIT", "VALUE", "USED", "FROM"].map(dim);
  const rows = limits.map(({ name, value, used, from }) => [
    name,
    value === null ? "none" : String(value),
    used === null ? "-" : String(used),
    from ?? "-",
  ]);
  return table([head, ...rows]);
}
