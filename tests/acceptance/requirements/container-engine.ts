import type { Requirement } from "./requirement.ts";

export const containerEngineRequirements: readonly Requirement[] = [
  {
    id: "container-engine",
    source: "seed 1",
    rule: "With a container engine each sandbox is a container: a private repository is cloned over https, changed and pushed, denied hosts are reported, and files and programs have the same paths as with every engine.",
  },
  {
    id: "container-engine-resume",
    source: "seed 1",
    rule: "A killed service leaves no running container; the next one continues the session on its disk, uncommitted work included.",
  },
  {
    id: "container-engine-image",
    source: "api 4",
    rule: "A session runs the image of its environment; when the engine does not have it, the turn ends with a sandbox_error that names it.",
  },
  {
    id: "devcontainer-image",
    source: "api 4",
    rule: "Where the engine runs images, a session whose environment names none has the image of the devcontainer.json that it follows: its repositories are set up and commands run in it, also in later containers. An image that cannot be run is an environment_error and named with the reason, and the session goes on with its usual image.",
  },
];
