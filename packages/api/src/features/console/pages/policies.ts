import type { FastifyReply, FastifyRequest } from "fastify";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const FEATURES = [
  "camera",
  "geolocation",
  "microphone",
  "payment",
  "usb",
  "serial",
  "hid",
  "display-capture",
];

const HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": FEATURES.map((feature) => `${feature}=()`).join(", "),
};

/** Sets the security headers for /console: this origin only, no inline scripts or styles, no frames. */
export async function protectRoute(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(HEADERS);
}
