import type { Berth } from "../acceptance/harness/berth.ts";
import type { S3Host, S3Request } from "../s3-host/s3-host.ts";

/**
 * Kills the service at its request number `at`. The server handles a request with an even number, but its
 * response is lost; an odd one is not handled.
 */
export function killAtRequest(s3: S3Host, service: Berth, at: number): Promise<void> {
  let requests = 0;
  return new Promise((resolve, reject) => {
    s3.fault = (_request, response, message) => {
      requests += 1;
      if (requests < at) return false;
      const kill = () => service.kill("SIGKILL").then(() => resolve(), reject);
      if (requests > at || at % 2 === 1) {
        if (requests === at) void kill();
        message.destroy();
        return true;
      }
      const end = () => {
        void kill();
        response.destroy();
        return response;
      };
      Object.assign(response, { end });
      return false;
    };
  });
}

/** Kills the service while it reads a content, after the first bytes, and sends no more. */
export function killWhileReading(
  s3: S3Host,
  service: Berth,
  isContent: (request: S3Request) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    s3.fault = (request, response) => {
      if (request.method !== "GET" || !isContent(request)) return false;
      const write = response.write.bind(response);
      const cut = (chunk: Uint8Array) => {
        write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => {
          service.kill("SIGKILL").then(() => resolve(), reject);
          response.destroy();
        });
        return false;
      };
      Object.assign(response, { write: cut });
      return false;
    };
  });
}
