import type { FastifyReply } from "fastify";
import { type Html, html } from "../../docs/html.ts";

/** Sends a page that the console itself cannot show. It has neither scripts nor styles. */
export function plainPage(reply: FastifyReply, status: number, body: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Berth</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return reply
    .code(status)
    .headers({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
    .send(page.text);
}
