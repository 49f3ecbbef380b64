import { type ChosenRuntimes, formatId, type RuntimeName } from "@berth/contract";
import type { RuntimeCatalogue } from "@berth/store/runtimes";
import { type Choice, choose, type PlacedWish, type RepositoryFiles } from "../choices/choose.ts";
import { matchMeaning, nearest } from "../choices/match-wish.ts";

/** The most lines that are told to be ignored. A hostile file may have any number. */
const MAX_IGNORED = 30;

/**
 * Returns the runtimes that files of repositories ask for, in the versions that the installation can have.
 *
 * @param repositories with the uuids of their resources, the first first.
 * @param named Runtimes of which the environment names the version.
 */
export async function chooseRuntimes(
  catalogue: Pick<RuntimeCatalogue, "versions">,
  repositories: readonly RepositoryFiles[],
  named: readonly RuntimeName[] = [],
): Promise<ChosenRuntimes> {
  const choice = withoutNamed(choose(repositories), named);
  const offer = await catalogue.versions(choice.wishes.map(({ runtime }) => runtime));
  const runtimes: ChosenRuntimes["runtimes"] = [];
  const missing: ChosenRuntimes["missing"] = [];
  for (const { runtime, meaning, ...wish } of choice.wishes) {
    const versions = offer.get(runtime) ?? [];
    const version = matchMeaning(runtime, meaning, versions);
    const place = { runtime, asked: wish.asked, ...placeOf(wish), line: wish.line };
    if (version !== null) runtimes.push({ ...place, version });
    else missing.push({ ...place, available: [...nearest(runtime, meaning, versions)] });
  }
  const ignored = [...contradicted(choice, runtimes), ...choice.ignored]
    .slice(0, MAX_IGNORED)
    .map(({ reason, line, ...place }) => ({ ...placeOf(place), line, reason }));
  return { runtimes, missing, ignored };
}

function withoutNamed(choice: Choice, named: readonly RuntimeName[]): Choice {
  const isNamed = ({ runtime }: PlacedWish) => named.includes(runtime);
  const left = choice.wishes.filter(isNamed).map(({ runtime, asked, ...place }) => ({
    ...place,
    reason: `${runtime} ${asked} is not followed: the environment names its version`,
  }));
  return {
    wishes: choice.wishes.filter((one) => !isNamed(one)),
    outranked: choice.outranked.filter((one) => !isNamed(one)),
    ignored: [...left, ...choice.ignored],
  };
}

/** Returns the lines that ask for another version than the chosen one. */
function contradicted(
  { wishes, outranked }: Choice,
  chosen: ChosenRuntimes["runtimes"],
): { id: string; file: string; line: number; reason: string }[] {
  return outranked.flatMap((other) => {
    const first = wishes.find(({ runtime }) => runtime === other.runtime);
    if (first === undefined || first.asked === other.asked) return [];
    const version = chosen.find(({ runtime }) => runtime === other.runtime)?.version;
    if (version !== undefined && matchMeaning(other.runtime, other.meaning, [version]) !== null) return [];
    const { id, file, line } = other;
    return [{ id, file, line, reason: reasonOf(other.runtime, other, first) }];
  });
}

function reasonOf(runtime: RuntimeName, other: PlacedWish, first: PlacedWish): string {
  const where = first.id === other.id ? "" : " of another repository";
  return `${runtime} ${other.asked} is not followed: line ${first.line} of ${first.file}${where} asks for ${first.asked}`;
}

function placeOf({ id, file }: { id: string; file: string }): { resource_id: string; file: string } {
  return { resource_id: formatId("session_resource", id), file };
}
