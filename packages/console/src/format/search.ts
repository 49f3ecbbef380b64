/** The search of an address with a change; what the change has as undefined is gone. */
export function withChange<Search extends object>(
  search: Search,
  change: { [Key in keyof Search]?: Search[Key] | undefined },
): Search {
  const fields = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as Search;
}
