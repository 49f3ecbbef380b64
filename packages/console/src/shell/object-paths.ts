/** Where an object of each kind is shown, by the prefix of its id. */
const PATHS: Readonly<Record<string, (id: string) => string>> = {
  sess: (id) => `/sessions/${id}`,
  agent: (id) => `/agents/${id}`,
  env: (id) => `/environments/${id}`,
  file: (id) => `/files/${id}`,
  skill: (id) => `/skills/${id}`,
  vault: (id) => `/vaults/${id}`,
  memstore: (id) => `/memory/${id}`,
  tok: (id) => `/tokens?token=${id}`,
};

/** The path of an object's page below the console; null for what has none, and for what is no id. */
export function objectPath(text: string): string | null {
  const [, prefix = ""] = /^([a-z]+)_[0-9a-z]{26}$/.exec(text) ?? [];
  return PATHS[prefix]?.(text) ?? null;
}
