import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Adds a path that anybody may read, with GET and HEAD. */
export type Read = (url: string, handler: Handler) => void;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function readRoutes(fastify: FastifyInstance): Read {
  return (url, handler) => {
    fastify.route({ method: ["GET", "HEAD"], url, handler });
  };
}
