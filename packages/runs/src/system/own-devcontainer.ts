import { type Devcontainer, formatId } from "@berth/contract";
import type { Choices } from "../choices/choices.ts";
import { DEVCONTAINER_FILES, type RepositoryFile, type RepositoryFiles } from "../choices/choose.ts";
import { type NotHonoured, readDevcontainer } from "../choices/devcontainer.ts";

/** Returns the `devcontainer.json` of a repository as a list: the first of its places that has one. */
export function devcontainerOf({ files }: Pick<RepositoryFiles, "files">): RepositoryFile[] {
  const found = DEVCONTAINER_FILES.flatMap((name) => files.filter(({ file }) => file === name));
  return found.slice(0, 1);
}

/** What decides, beside the file, what is followed of it. */
export interface DevcontainerRules {
  /** Whether the installation can have runtimes. */
  hasRuntimes: boolean;
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  /** The image that the environment names; null for none. */
  image: string | null;
}

/**
 * Reads the `devcontainer.json` of the repository from which a session takes its environment.
 *
 * @returns what the session shows, and what it keeps to itself.
 */
export function readOwnDevcontainer(
  repository: RepositoryFiles & { mountPath: string },
  rules: DevcontainerRules,
): { shown: Devcontainer } & Pick<Choices, "variables" | "setup"> {
  const [found] = devcontainerOf(repository);
  const resource_id = formatId("session_resource", repository.id);
  const nothing = {
    ...{ honoured: [], not_honoured: [], image: null },
    ...{ environment_variable_names: [], forward_ports: [] },
  };
  const failed = (error: string) => {
    const shown = { ...nothing, resource_id, file: found?.file ?? null, error };
    return { shown, variables: {}, setup: null };
  };
  if (found === undefined) return failed("the repository has no devcontainer.json");
  if ("fault" in found.content) return failed(found.content.fault);
  const read = readDevcontainer(found.content.text, repository.mountPath);
  if (typeof read === "string") return failed(read);
  const refused = refusals(rules).filter(({ property }) => read.honoured.includes(property));
  const isRefused = (name: string) => refused.some(({ property }) => property === name);
  const shown = {
    ...{ resource_id, file: found.file, error: null },
    honoured: read.honoured.filter((property) => !isRefused(property)),
    not_honoured: [...refused, ...read.notHonoured],
    image: isRefused("image") ? null : read.image,
    environment_variable_names: Object.keys(read.variables),
    forward_ports: read.forwardPorts,
  };
  return { shown, variables: read.variables, setup: read.script };
}

/** Returns what a session shows when its image cannot be run, with the reason as a clause. */
export function withoutImage(shown: Devcontainer, reason: string): Devcontainer {
  return {
    ...shown,
    image: null,
    honoured: shown.honoured.filter((property) => property !== "image"),
    not_honoured: [{ property: "image", reason }, ...shown.not_honoured],
  };
}

function refusals({ hasRuntimes, runsImages, image }: DevcontainerRules): NotHonoured[] {
  const programs = "the sandboxes of this installation have the programs of their image";
  // In the words with which the API refuses the image of an environment.
  const noImages = "the sandbox engine of this installation does not run container images";
  const noImage = runsImages ? image && "the environment names another one" : noImages;
  return [
    ...(hasRuntimes ? [] : [{ property: "features", reason: programs }]),
    ...(noImage === null ? [] : [{ property: "image", reason: noImage }]),
  ];
}
