import { request } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import type { ClusterObject } from "../../../script/chart/render-chart.ts";

/** The former versions of APIs, for servers before 1.21 and 1.23. */
const FORMER: Readonly<Record<string, string>> = {
  "policy/v1": "policy/v1beta1",
  "autoscaling/v2": "autoscaling/v2beta2",
};

type Response = { status: number; body: ClusterObject };

/** A client of an API server that creates, changes and tries out objects. */
export class ObjectsOfServer {
  readonly #config = new KubeConfig();

  constructor(kubeconfig: string) {
    this.#config.loadFromFile(kubeconfig);
  }

  /** The server's port on this machine. */
  get port(): number {
    return Number(new URL(this.#config.getCurrentCluster()?.server ?? "").port);
  }

  /** Creates an object. */
  async create(object: ClusterObject): Promise<Response> {
    return await this.#ask("POST", await this.#pathOf(object), object);
  }

  /** Patches an existing object, as `helm upgrade` does. */
  async change(object: ClusterObject): Promise<Response> {
    const path = `${await this.#pathOf(object)}/${object.metadata.name}`;
    return await this.#ask("PATCH", path, object, "application/strategic-merge-patch+json");
  }

  /**
   * Returns the object that the server would create, with its defaults, by a dry run. Fields that the server
   * does not know are missing in the response, without an error.
   */
  async tried(object: ClusterObject): Promise<Response> {
    const apiVersion = await this.#served(object.apiVersion);
    const asked = { ...object, apiVersion };
    return await this.#ask("POST", `${await this.#pathOf(asked)}?dryRun=All&fieldValidation=Strict`, asked);
  }

  async #served(apiVersion: string): Promise<string> {
    const former = FORMER[apiVersion];
    if (former === undefined) return apiVersion;
    const { status } = await this.#ask("GET", rootOf(apiVersion));
    return status === 404 ? former : apiVersion;
  }

  async #pathOf({ apiVersion, kind, metadata }: ClusterObject): Promise<string> {
    const { status, body } = await this.#ask("GET", rootOf(apiVersion));
    const resource = body.resources?.find(
      (one: ClusterObject) => one.kind === kind && !one.name.includes("/"),
    );
    if (resource === undefined) throw new Error(`the server has no ${kind} of ${apiVersion}: ${status}`);
    const namespace = resource.namespaced ? `/namespaces/${metadata.namespace}` : "";
    return `${rootOf(apiVersion)}${namespace}/${resource.name}`;
  }

  async #ask(
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: ClusterObject,
    type = "application/json",
  ): Promise<Response> {
    const url = new URL(path, this.#config.getCurrentCluster()?.server);
    const options = { method, headers: { "content-type": type } };
    await this.#config.applyToHTTPSOptions(options);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const isJson = text.startsWith("{");
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : { message: text } });
      });
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    return await promise;
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/**
 * Returns the paths of sent fields that are missing or different in the returned object. A server drops
 * fields that it does not know.
 */
export function lost(sent: unknown, returned: unknown, path = ""): string[] {
  if (typeof sent !== "object" || sent === null) return sent === returned ? [] : [path];
  if (typeof returned !== "object" || returned === null) return isEmpty(sent) ? [] : [path];
  return Object.entries(sent).flatMap(([key, value]) =>
    lost(value, (returned as Record<string, unknown>)[key], `${path}/${key}`),
  );
}

/** Whether the value is `{}` or `[]` at every depth, which a server may drop. */
function isEmpty(value: object): boolean {
  return Object.values(value).every((one) => typeof one === "object" && one !== null && isEmpty(one));
}
