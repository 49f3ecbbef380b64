/** The page of each kind of object, by the prefix of its id. */
const PATHS: Readonly<Record<string, (id: string) => string>> = {
  sess: (id) => `/sessions/${id}`,
  agent: (id) => `/agents/${id}`,
  dep: (id) => `/deployments/${id}`,
  env: (id) => `/environments/${id}`,
  file: (id) => `/files/${id}`,
  skill: (id) => `/skills/${id}`,
  vault: (id) => `/vaults/${id}`,
  memstore: (id) => `/memory/${id}`,
  whk: (id) => `/webhooks?webhook=${id}`,
  conn: (id) => `/connections?connection=${id}`,
  tok: (id) => `/tokens?token=${id}`,
};

/** Returns the path of an object's page within the console; null if it has no page or the text is no id. */
export function objectPath(text: string): string | null {
  const [, prefix = ""] = /^([a-z]+)_[0-9a-z]{26}$/.exec(text) ?? [];
  return PATHS[prefix]?.(text) ?? null;
}
