/** Returns search parameters with a change applied; undefined values remove a parameter. */
export function withChange<Search extends object>(
  search: Search,
  change: { [Key in keyof Search]?: Search[Key] | undefined },
): Search {
  const fields = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Search;
}
