import { get } from "./operation.ts";

export const models = {
  list: get("models.list", "/models", "List the models that agents can have", {
    answers: "page",
    whole: true,
    scope: "agents:read",
  }),
} as const;
