import type { Socket } from "node:net";
import { ImageError, SandboxError } from "../interface/errors.ts";
import { type EngineClient, EngineRequestError } from "./engine-client.ts";

/** Labels of every container, by which a sweep finds the containers of a dead process. */
export const INSTANCE = "berth.instance";
/** The process (`thisProcess`) and number of the engine that made it. */
export const OWNER = "berth.owner";
export const SANDBOX = "berth.sandbox";

/** A container of this instance, by its labels. */
export interface Found {
  id: string;
  owner: string;
  sandbox: string;
}

/** The calls to the container engine that a sandbox needs. */
export class Containers {
  readonly #client: EngineClient;

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** Creates a container and returns its id. Rejects with `ImageError` when the engine lacks the image. */
  async create(image: string, body: object): Promise<string> {
    try {
      const made = (await this.#client.call("POST", "/containers/create", body)) as { Id?: unknown } | null;
      if (typeof made?.Id === "string" && /^[0-9a-f]{12,64}$/.test(made.Id)) return made.Id;
    } catch (error) {
      if (error instanceof EngineRequestError && error.status === 404)
        throw new ImageError(
          `The image ${JSON.stringify(image)} is not on this installation's container engine.`,
          {
            cause: error,
          },
        );
      throw error;
    }
    throw new SandboxError("The container engine did not return the id of the container.");
  }

  attach(id: string): Promise<Socket> {
    return this.#client.attach(id);
  }

  /**
   * Starts a container and returns the host pid of its process 1. Rejects with `ImageError` when the image
   * has no shell to run.
   */
  async start(id: string, image: string): Promise<number> {
    try {
      await this.#client.call("POST", `/containers/${id}/start`);
    } catch (error) {
      if (error instanceof EngineRequestError && /\/bin\/sh\b/.test(error.message))
        throw new ImageError(`The image ${JSON.stringify(image)} has no /bin/sh that runs here.`, {
          cause: error,
        });
      throw error;
    }
    const state = (await this.#client.call("GET", `/containers/${id}/json`)) as {
      State?: { Pid?: unknown };
    } | null;
    return Number(state?.State?.Pid ?? 0);
  }

  /** Kills and removes a container with its volumes. Resolves when it no longer exists. */
  async remove(id: string): Promise<void> {
    try {
      await this.#client.call("DELETE", `/containers/${id}?force=true&v=true`);
    } catch (error) {
      if (!(error instanceof EngineRequestError)) throw error;
      if (error.status === 404) return;
      if (error.status !== 409) throw error;
      // Status 409: the container is already being removed.
      await this.#client.call("POST", `/containers/${id}/wait?condition=removed`).catch((late: unknown) => {
        if (!(late instanceof EngineRequestError) || late.status !== 404) throw late;
      });
    }
  }

  /** Returns all containers of an instance, running or not, whichever process made them. */
  async list(instance: string): Promise<Found[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${INSTANCE}=${instance}`] }));
    const response = await this.#client.call("GET", `/containers/json?all=true&filters=${filters}`);
    const list = (Array.isArray(response) ? response : []) as {
      Id: string;
      Labels?: Record<string, string> | null;
    }[];
    return list
      .filter(({ Labels }) => Labels?.[INSTANCE] === instance)
      .map(({ Id, Labels }) => ({ id: Id, owner: Labels?.[OWNER] ?? "", sandbox: Labels?.[SANDBOX] ?? "" }));
  }
}
