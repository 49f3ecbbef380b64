import type { Requirement } from "./requirement.ts";

export const containerEngineRequirements: readonly Requirement[] = [
  {
    id: "container-engine",
    source: "seed 1",
    rule: "With a container engine each sandbox is a container: a private repository is cloned over https, changed and pushed, refused hosts are told, and files and programs are where they are on every engine.",
  },
  {
    id: "container-engine-resume",
    source: "seed 1",
    rule: "A service that is killed leaves no running container; the next one goes on with the session on its disk, uncommitted work included.",
  },
  {
    id: "container-engine-image",
    source: "api 4",
    rule: "A session runs the image that its environment names; one that the engine has not ends the turn with a sandbox_error that names it.",
  },
];
