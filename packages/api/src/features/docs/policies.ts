import type { FastifyReply } from "fastify";

const CLOSED = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/** Sets the policy of a text page: its own style sheet, and nothing else. */
export function protect(reply: FastifyReply): FastifyReply {
  return withPolicy(reply, ["style-src 'self'", "img-src data:"]);
}

/** Sets the policy of the viewer's page: scripts and requests of this service only, styles with the nonce. */
export function protectViewer(reply: FastifyReply, nonce: string): FastifyReply {
  return withPolicy(reply, [
    "script-src 'self'",
    `style-src-elem 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
  ]);
}

function withPolicy(reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  return reply.headers({
    "content-security-policy": [...CLOSED, ...allowed].join("; "),
    "referrer-policy": "no-referrer",
  });
}
