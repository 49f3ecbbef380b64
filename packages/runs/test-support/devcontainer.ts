import type { Devcontainer } from "@berth/contract";

/** What clients are shown of a `devcontainer.json` of which nothing is followed. */
export const NOTHING_READ: Devcontainer = {
  resource_id: "sesr_1",
  file: ".devcontainer.json",
  error: null,
  honoured: [],
  not_honoured: [],
  image: null,
  environment_variable_names: [],
  forward_ports: [],
};
