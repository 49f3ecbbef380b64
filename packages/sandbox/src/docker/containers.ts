import type { Socket } from "node:net";
import { ImageError, SandboxError } from "../interface/errors.ts";
import { type EngineClient, EngineRefusal } from "./engine-client.ts";
import { INSTANCE, OWNER, SANDBOX } from "./labels.ts";

/** A container of this instance, as its labels tell. */
export interface Found {
  id: string;
  owner: string;
  sandbox: string;
}

/** The calls to the engine that a sandbox takes. */
export class Containers {
  readonly #client: EngineClient;

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** Rejects with `ImageError` when the engine has not the image. */
  async create(image: string, body: object): Promise<string> {
    try {
      const made = (await this.#client.call("POST", "/containers/create", body)) as { Id?: unknown } | null;
      if (typeof made?.Id === "string" && /^[0-9a-f]{12,64}$/.test(made.Id)) return made.Id;
    } catch (error) {
      if (error instanceof EngineRefusal && error.status === 404)
        throw new ImageError(
          `The image ${JSON.stringify(image)} is not on this installation's container engine.`,
          {
            cause: error,
          },
        );
      throw error;
    }
    throw new SandboxError("The container engine did not tell what it created.");
  }

  attach(id: string): Promise<Socket> {
    return this.#client.attach(id);
  }

  /** Host pid of process 1. Rejects with `ImageError` when the image has no shell to run. */
  async start(id: string, image: string): Promise<number> {
    try {
      await this.#client.call("POST", `/containers/${id}/start`);
    } catch (error) {
      if (error instanceof EngineRefusal && /\/bin\/sh\b/.test(error.message))
        throw new ImageError(`The image ${JSON.stringify(image)} has no /bin/sh that runs here.`, {
          cause: error,
        });
      throw error;
    }
    const told = (await this.#client.call("GET", `/containers/${id}/json`)) as {
      State?: { Pid?: unknown };
    } | null;
    return Number(told?.State?.Pid ?? 0);
  }

  /** Kills all that runs in it and removes it with its volumes. Resolves when it is gone, also when it was. */
  async remove(id: string): Promise<void> {
    try {
      await this.#client.call("DELETE", `/containers/${id}?force=true&v=true`);
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
      if (error.status === 404) return;
      if (error.status !== 409) throw error;
      // Somebody else removes it already.
      await this.#client.call("POST", `/containers/${id}/wait?condition=removed`).catch((late: unknown) => {
        if (!(late instanceof EngineRefusal) || late.status !== 404) throw late;
      });
    }
  }

  /** Those of an instance, whoever made them and whether they run. */
  async list(instance: string): Promise<Found[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`${INSTANCE}=${instance}`] }));
    const answer = await this.#client.call("GET", `/containers/json?all=true&filters=${filters}`);
    const list = (Array.isArray(answer) ? answer : []) as {
      Id: string;
      Labels?: Record<string, string> | null;
    }[];
    return list
      .filter(({ Labels }) => Labels?.[INSTANCE] === instance)
      .map(({ Id, Labels }) => ({ id: Id, owner: Labels?.[OWNER] ?? "", sandbox: Labels?.[SANDBOX] ?? "" }));
  }
}
