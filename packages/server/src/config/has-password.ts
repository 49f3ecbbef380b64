/** Returns whether a database or proxy URL has a password, before its host or in its query. */
export function hasPassword(url: string): boolean {
  const [before = "", query = ""] = url.split(/\?(.*)/s);
  const inQuery = [...new URLSearchParams(query)].some(
    ([name, value]) => /password$/i.test(name) && value !== "",
  );
  return inQuery || /^[a-z]+:\/\/[^/#]*:[^/#]+@/.test(before);
}
