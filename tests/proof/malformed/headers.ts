import { agentWith, type Input } from "./input.ts";

const AGENT_BODY = JSON.stringify(agentWith({}));
const withContentType = (type: string): Input => ({
  name: `content type ${type}`,
  method: "POST",
  path: "/agents",
  headers: { "content-type": type },
  body: AGENT_BODY,
});

const withAuthorization = (authorization: string): Input => ({
  name: `authorization ${authorization.slice(0, 40)}`,
  method: "GET",
  path: "/agents",
  headers: { authorization },
  status: 401,
});

/** Invalid headers, and content types that do not match the body. */
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
  ].map(withContentType),
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
  ].map(withAuthorization),
  { name: "no body", method: "POST", path: "/agents", headers: { "content-type": "application/json" } },
  {
    name: "an idempotency key with a space",
    method: "POST",
    path: "/agents",
    headers: { "content-type": "application/json", "idempotency-key": "a b" },
    body: AGENT_BODY,
    param: "Idempotency-Key",
  },
  {
    name: "an idempotency key that is too long",
    method: "POST",
    path: "/agents",
    headers: { "content-type": "application/json", "idempotency-key": "k".repeat(256) },
    body: AGENT_BODY,
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
    name: "an upload whose form has no boundary line",
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
