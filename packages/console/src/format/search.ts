/** A change of search parameters; undefined removes one. */
export type Change<Search> = { [Key in keyof Search]?: Search[Key] | undefined };

/** Returns search parameters with a change applied. */
export function withChange<Search extends object>(search: Search, change: Change<Search>): Search {
  const fields = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Search;
}
