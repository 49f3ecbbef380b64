import { environmentVariables, imageName } from "@berth/contract";
import { quote } from "@berth/sandbox";
import { featuresOf } from "./devcontainer-features.ts";
import { isObject, type JsonObject, readJsonObject } from "./json-text.ts";
import { printable } from "./wish.ts";

/** A property that is not followed. */
export interface NotHonoured {
  property: string;
  /** A clause for people and models. */
  reason: string;
}

/** What a `devcontainer.json` says that Berth follows. */
export interface Devcontainer {
  /** Variables of commands, with their references replaced. */
  variables: Record<string, string>;
  /** A script for `/bin/sh` with the commands that prepare the repository, in their order; null for none. */
  script: string | null;
  forwardPorts: number[];
  /** Name of an image, with its references replaced; null for none. */
  image: string | null;
  /** Properties that are followed, at least in part. */
  honoured: string[];
  notHonoured: NotHonoured[];
}

/** Commands that prepare a repository, in the order in which they run. */
const COMMANDS = ["onCreateCommand", "updateContentCommand", "postCreateCommand"] as const;
const FOLLOWED: readonly string[] = [
  ...["features", "image", "containerEnv", "remoteEnv", "forwardPorts", "$schema", "name"],
  ...COMMANDS,
];
const AT_EACH_START = "it runs when a container starts, and Berth prepares a repository once";
const IMAGE_IS_BUILT = "building it would run the repository's code outside a sandbox";
/** Properties that make `image` count for nothing, or for something else. */
const BUILDERS = ["build", "dockerFile", "dockerComposeFile"] as const;
const NOT_HONOURED: Readonly<Record<string, string>> = {
  initializeCommand: "it would run outside the sandbox",
  postStartCommand: AT_EACH_START,
  postAttachCommand: AT_EACH_START,
  build: IMAGE_IS_BUILT,
  dockerFile: IMAGE_IS_BUILT,
  dockerComposeFile: "a session has one sandbox",
  service: "a session has one sandbox",
  runServices: "a session has one sandbox",
  customizations: "it is for editors",
  remoteUser: "commands run as the sandbox's user",
  containerUser: "commands run as the sandbox's user",
  hostRequirements: "the environment's 'resources' say what a sandbox has",
  privileged: "a repository may not weaken the sandbox",
  capAdd: "a repository may not weaken the sandbox",
  securityOpt: "a repository may not weaken the sandbox",
  runArgs: "a repository may not choose how the sandbox runs",
  mounts: "a repository may not choose what the sandbox sees",
  workspaceMount: "the session says where the repository is",
  workspaceFolder: "the session says where the repository is",
};
const MAX_VARIABLES = 100;
const MAX_PORTS = 32;
const MAX_SCRIPT = 65_536;
const MAX_TOLD = 50;

/**
 * Reads a `devcontainer.json`.
 *
 * @param folder Path of the repository in the sandbox.
 * @returns a clause of why it cannot be read.
 */
export function readDevcontainer(text: string, folder: string): Devcontainer | string {
  const json = readJsonObject(text, { comments: true });
  if (typeof json === "string") return json;
  const { value } = json;
  const told = new Told();
  for (const property of Object.keys(value)) {
    if (FOLLOWED.includes(property)) continue;
    const reason = Object.hasOwn(NOT_HONOURED, property) ? NOT_HONOURED[property] : undefined;
    told.not(property, reason ?? "Berth has nothing like it");
  }
  const features = featuresOf(json);
  for (const { reason } of features.ignored) told.not("features", reason);
  if (features.wishes.length > 0) told.honoured.push("features");
  const references = new References(folder, told);
  // Variables of a container mean nothing before it is there.
  const image = imageOf(value, references, told);
  const variables = variablesOf(value, references, told);
  const script = scriptOf(value, references, told);
  const forwardPorts = portsOf(value, told);
  const { honoured, notHonoured } = told;
  return { variables, script, forwardPorts, image, honoured, notHonoured };
}

/** Collects what is followed and what is not. */
class Told {
  readonly honoured: string[] = [];
  readonly notHonoured: NotHonoured[] = [];

  not(property: string, reason: string): void {
    if (this.notHonoured.length < MAX_TOLD) this.notHonoured.push({ property: printable(property), reason });
  }
}

/** The references of a text, such as `${containerWorkspaceFolder}`. */
class References {
  readonly #folder: string;
  readonly #told: Told;
  /** The number of references that had no value. */
  lost = 0;
  /** The variables that `${containerEnv:NAME}` means. */
  readonly container = new Map<string, string>();

  constructor(folder: string, told: Told) {
    this.#folder = folder;
    this.#told = told;
  }

  /** Returns the text with its references replaced. Those to what a sandbox does not have become empty. */
  replace(property: string, text: string): string {
    return text.replace(
      /\$\{([A-Za-z]+)(?::([^}:]*)(?::([^}]*))?)?\}/g,
      (whole, kind, name = "", usual = "") => {
        if (/^(container|local)WorkspaceFolder$/.test(kind)) return this.#folder;
        if (/^(container|local)WorkspaceFolderBasename$/.test(kind)) return this.#folder.replace(/.*\//, "");
        if (kind === "containerEnv" && this.container.has(name)) return this.container.get(name) ?? "";
        if (!["containerEnv", "localEnv", "env", "devcontainerId"].includes(kind)) return whole;
        if (usual !== "") return usual;
        this.lost += 1;
        this.#told.not(property, `'${printable(whole)}' has no value here`);
        return "";
      },
    );
  }
}

/** A name that is not what the file means, since a part has no value, is none. */
function imageOf(value: JsonObject, references: References, told: Told): string | null {
  const { image: given } = value;
  const builder = BUILDERS.find((property) => Object.hasOwn(value, property));
  if (given === undefined) return null;
  if (typeof given !== "string") told.not("image", "it is no text");
  else if (builder !== undefined) told.not("image", `'${builder}' says that another one is used`);
  else {
    const { lost } = references;
    const name = references.replace("image", given);
    if (references.lost > lost) return null;
    if (imageName.safeParse(name).success) {
      told.honoured.push("image");
      return name;
    }
    told.not("image", "it must be the name of an image, such as 'debian:bookworm'");
  }
  return null;
}

/** `remoteEnv` counts before `containerEnv`. */
function variablesOf(value: JsonObject, references: References, told: Told): Record<string, string> {
  const variables = new Map<string, string>();
  for (const property of ["containerEnv", "remoteEnv"]) {
    const given = value[property];
    if (given === undefined) continue;
    if (!isObject(given)) {
      told.not(property, "it is no object");
      continue;
    }
    let isFollowed = false;
    for (const [name, text] of Object.entries(given)) {
      const fault = variableFault(name, text, variables.size);
      if (fault !== null) told.not(property, fault);
      else {
        variables.set(name, references.replace(property, String(text)));
        isFollowed = true;
      }
    }
    if (property === "containerEnv")
      for (const [name, text] of variables) references.container.set(name, text);
    if (isFollowed) told.honoured.push(property);
  }
  return Object.fromEntries(variables);
}

function variableFault(name: string, text: unknown, count: number): string | null {
  if (typeof text !== "string") return `the value of '${printable(name)}' is not a text`;
  if (count >= MAX_VARIABLES) return `it has more than ${MAX_VARIABLES} variables`;
  const isValid = environmentVariables.safeParse({ [name]: text }).success;
  return isValid ? null : `'${printable(name)}' is reserved, or no name or value of a variable`;
}

/** Each command runs when those before have succeeded; those of an object run side by side. */
function scriptOf(value: JsonObject, references: References, told: Told): string | null {
  const parts: string[] = [];
  for (const property of COMMANDS) {
    const given = value[property];
    if (given === undefined || given === null || given === "") continue;
    const lines = commandLines(given, (text) => references.replace(property, text));
    if (lines === null) told.not(property, "it is no command");
    else if ([...parts, ...lines].join("\n").length > MAX_SCRIPT) told.not(property, "it is too long");
    else {
      parts.push(...lines);
      told.honoured.push(property);
    }
  }
  return parts.length === 0 ? null : parts.join("\n");
}

function commandLines(given: unknown, replace: (text: string) => string): string[] | null {
  if (!isObject(given)) {
    const line = commandLine(given, replace);
    return line === null ? null : [`${line} </dev/null || exit`];
  }
  const lines = Object.values(given).map((one) => commandLine(one, replace));
  if (lines.length === 0 || lines.includes(null)) return null;
  return [
    "pids= failed=",
    ...lines.map((line) => `${line} </dev/null & pids="$pids $!"`),
    'for pid in $pids; do wait "$pid" || failed=$?; done',
    '[ -z "$failed" ] || exit "$failed"',
  ];
}

/** A text is for a shell, and a list is a program with its arguments. */
function commandLine(given: unknown, replace: (text: string) => string): string | null {
  if (typeof given === "string" && !given.includes("\0")) return `/bin/sh -c ${quote(replace(given))}`;
  if (!Array.isArray(given) || given.length === 0) return null;
  const words: unknown[] = given;
  if (!words.every((word) => typeof word === "string" && !word.includes("\0"))) return null;
  return `env -- ${words.map((word) => quote(replace(String(word)))).join(" ")}`;
}

function portsOf({ forwardPorts: given }: JsonObject, told: Told): number[] {
  if (given === undefined) return [];
  const all: unknown[] = Array.isArray(given) ? given : [given];
  const ports = new Set<number>();
  for (const one of all) {
    const port = typeof one === "number" ? one : Number(/^localhost:(\d{1,5})$/.exec(String(one))?.[1]);
    if (Number.isInteger(port) && port > 0 && port < 65_536 && ports.size < MAX_PORTS) ports.add(port);
    else told.not("forwardPorts", `'${printable(String(one))}' is no port of the sandbox`);
  }
  if (ports.size > 0) told.honoured.push("forwardPorts");
  return [...ports];
}
