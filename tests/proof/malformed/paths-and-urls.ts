import { type Input, PLACEHOLDER_IDS, sessionWith } from "./input.ts";

const query = (text: string, param?: string): Input => ({
  name: `?${text.slice(0, 60)}`,
  method: "GET",
  path: `/agents?${text}`,
  ...(param === undefined ? {} : { param }),
});

/** Invalid queries of a list. */
export const queries: Input[] = [
  ...["0", "-1", "1.5", "%2B1", "abc", "", "1e2", "0x10", "NaN", "%20", "１"].map((limit) =>
    query(`limit=${limit}`, "limit"),
  ),
  ...["101", "9007199254740993", "99999999999999999999"].map((limit) => query(`limit=${limit}`, "limit")),
  query("limit=1&limit=2", "limit"),
  query("limit[]=1"),
  query("unknown=1", "unknown"),
  query("__proto__=1"),
  query("page=", "page"),
  query("page=abc", "page"),
  query(`page=${"A".repeat(5_000)}`, "page"),
  query("page=%00", "page"),
  query("before_id=x", "before_id"),
  query("after_id=sess_01h455vb4pex5vsknk084sn02q", "after_id"),
  query("before_id=agent_01h455vb4pex5vsknk084sn02q&after_id=agent_01h455vb4pex5vsknk084sn02q"),
  query("page=x&after_id=agent_01h455vb4pex5vsknk084sn02q"),
  query("include_archived=yes", "include_archived"),
  query("created_at[gt]=yesterday", "created_at[gt]"),
  { ...query("", "title"), name: "?title=a%00b", path: "/sessions?title=a%00b" },
  query("limit=%ff"),
  query("limit=%zz"),
];

/** Paths without an operation or object. */
export const paths: Input[] = [
  { name: "an unknown path", method: "GET", path: "/nothing", status: 404 },
  { name: "a known path, another method", method: "PATCH", path: "/agents", status: 404 },
  { name: "a slash at the end", method: "GET", path: "/agents/", status: 404 },
  { name: "two slashes", method: "GET", path: "//api//v1/cloud/agents", status: 404 },
  { name: "another version", method: "GET", path: "//api/v2/cloud/agents", status: 404 },
  { name: "upper case", method: "GET", path: "/AGENTS", status: 404 },
  { name: "incomplete percent encoding", method: "GET", path: "/agents/%", status: 400 },
  { name: "invalid UTF-8", method: "GET", path: "/agents/%ff", status: 400 },
  { name: "NUL", method: "GET", path: "/agents/%00", status: 404 },
  {
    name: "the id of another resource type",
    method: "GET",
    path: `/agents/${PLACEHOLDER_IDS.session}`,
    status: 404,
  },
  {
    name: "an id in upper case",
    method: "GET",
    path: "/agents/AGENT_01H455VB4PEX5VSKNK084SN02Q",
    status: 404,
  },
  { name: "an id that is too long", method: "GET", path: `/agents/agent_${"0".repeat(500)}`, status: 404 },
  { name: "a very long id", method: "GET", path: `/agents/${"a".repeat(5_000)}`, status: 404 },
  {
    name: "an id beyond 128 bits",
    method: "GET",
    path: "/agents/agent_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    status: 404,
  },
  { name: "dots", method: "GET", path: "/agents/..%2f..%2flivez", status: 404 },
];

const mount = (mount_path: unknown): Input => ({
  name: `mount at ${JSON.stringify(mount_path).slice(0, 60)}`,
  path: "/sessions",
  body: sessionWith({ resources: [{ type: "file", file_id: PLACEHOLDER_IDS.file, mount_path }] }),
  param: "resources[0].mount_path",
});

/** Mount paths that are not allowed. */
export const mountPaths: Input[] = [
  "", "data/a", "./a", "../a", "/", "//", "/data", "/data/", "/data//a", "/data/./a", "/data/../etc", "/data/a/..",
  "/data/..", "/..", "/etc/passwd", "/proc/self/environ", "/sys/fs", "/dev/shm/a", "/usr/bin/git", "/bin/sh", "/run/a",
  "/tmp/a", "/root/.ssh", "/var/a", "/lib/a", "/mnt", "/mnt/memory/a", "/mnt/skills/a", "/mnt/session/outputs/a",
  "/mnt/session/shells/a",
  "/mnt/session", "/mnt/session/uploads", "/home/agent", "/data/a\0b", "/data/a\nb", "/data/\u0085",
  `/data/${"a".repeat(256)}`, `/${"data/".repeat(300)}a`, `/data/${"é".repeat(600)}`, 1, {}, [],
].map(mount); // biome-ignore format: a list of words

const repository = (url: unknown): Input => ({
  name: `repository ${JSON.stringify(url).slice(0, 60)}`,
  path: "/sessions",
  body: sessionWith({ resources: [{ type: "hosted_repository", url }] }),
  param: "resources[0].url",
});

/** URLs that are not a repository of a hosted provider. */
export const repositoryUrls: Input[] = [
  "", "github.com/a/b", "http://github.com/a/b", "ssh://git@github.com/a/b", "git@github.com:a/b", "file:///etc",
  "ext::sh -c id", "https://github.com", "https://github.com/", "https://github.com/a", "https://github.com/a/",
  "https://github.com/a/b/c", "https://github.com/a/b?x=1",
  "https://github.com/a/b#x", "https://user:pass@github.com/a/b", "https://github.com@evil.example/a/b",
  "https://github.com:443:1/a/b", "https://github.com:0/a/b", "https://github.com:99999/a/b",
  "https://127.0.0.1/a/b", "https://[::1]/a/b", "https://localhost/a/b", "https://169.254.169.254/a/b",
  "https://evil.example/a/b", "https://github.com./a/b", "https://github.com/../b", "https://github.com/a/..",
  "https://github.com/-a/b", "https://github.com/a%2f/b", "https://github.com/a/b%0a", "https://github.com/a/b\n",
  "https://github.com\\a\\b", "https://gіthub.com/a/b", " https://github.com/a/b", `https://github.com/a/${"b".repeat(3_000)}`,
  null, 1, [],
].map(repository); // biome-ignore format: a list of words
