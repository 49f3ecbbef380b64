import { get, post, remove } from "./operation.ts";

export const tokens = {
  create: post("tokens.create", "/tokens", "Create a token"),
  list: get("tokens.list", "/tokens", "List tokens", { answers: "page" }),
  delete: remove("tokens.delete", "/tokens/{token_id}", "Revoke a token"),
} as const;
