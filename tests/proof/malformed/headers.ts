import { agentWith, type Input } from "./input.ts";

const agent = JSON.stringify(agentWith({}));
const typed = (type: string): Input => ({
  name: `content type ${type}`,
  method: "POST",
  path: "/agents",
  headers: { "content-type": type },
  body: agent,
});

const authorized = (authorization: string): Input => ({
  name: `authorization ${authorization.slice(0, 40)}`,
  method: "GET",
  path: "/agents",
  headers: { authorization },
  status: 401,
});

/** Headers that are wrong, or that say what the body is not. */
export const headers: Input[] = [
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json garbage",
    "application/jsonx",
    "application/json; charset=utf-16",
    "json",
    "multipart/form-data",
    "*/*",
  ].map(typed),
  ...[
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Basic YTpi",
    "Token x",
    "Bearer berth_pat_",
    `Bearer ${"x".repeat(9_000)}`,
    "bearer=x",
    `Bearer berth_sat_${"0".repeat(46)}`,
    "Bearer \u00e9",
  ].map(authorized),
  { name: "no body", method: "POST", path: "/agents", headers: { "content-type": "application/json" } },
  {
    name: "a key of idempotency with a blank",
    method: "POST",
    path: "/agents",
    headers: { "content-type": "application/json", "idempotency-key": "a b" },
    body: agent,
    param: "Idempotency-Key",
  },
  {
    name: "a key of idempotency that is too long",
    method: "POST",
    path: "/agents",
    headers: { "content-type": "application/json", "idempotency-key": "k".repeat(256) },
    body: agent,
    param: "Idempotency-Key",
  },
  {
    name: "an upload without a form",
    method: "POST",
    path: "/files",
    headers: { "content-type": "multipart/form-data" },
    body: "x",
  },
  {
    name: "an upload whose form never begins",
    method: "POST",
    path: "/files",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: "x",
  },
  {
    name: "an upload without a file",
    method: "POST",
    path: "/files",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n--b--\r\n',
  },
];
