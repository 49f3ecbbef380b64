/** Whether the URL of a database or a proxy has a password, before its host or, as those of PostgreSQL may, in its query. */
export function hasPassword(url: string): boolean {
  const [before = "", query = ""] = url.split(/\?(.*)/s);
  const inQuery = [...new URLSearchParams(query)].some(
    ([name, value]) => /password$/i.test(name) && value !== "",
  );
  return inQuery || /^[a-z]+:\/\/[^/#]*:[^/#]+@/.test(before);
}
