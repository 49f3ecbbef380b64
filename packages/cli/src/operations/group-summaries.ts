/** What the commands of a group are for, by the words that lead to it. */
const summaries: Readonly<Record<string, string>> = {
  tokens: "make, list and revoke tokens of the API",
  agents: "who works: a model with instructions, tools and skills",
  models: "the models that agents can have",
  environments: "what the sandbox of a session may reach and use",
  "sessions resources": "repositories, files and memory stores of a session",
  "sessions events": "messages to a session, and all that happened in it",
  vaults: "secrets that sessions use and cannot read",
  "vaults credentials": "the tokens and secrets in a vault",
  "memory-stores": "notes of agents that outlast their sessions",
  "memory-stores memories": "the notes of a store",
  "memory-stores memory-versions": "what was changed in a store, and by whom",
  forward: "the registry of your resources",
  "forward resources": "register resources, and list them as they are now",
};

/** For the list of commands of what is above. */
export function groupSummary(words: readonly string[]): string {
  return summaries[words.join(" ")] ?? `work with ${words.at(-1)?.replaceAll("-", " ")}`;
}
