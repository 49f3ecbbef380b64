import { z } from "zod";

/**
 * Where an MCP server answers: `https`, or `http` where the installation allows the host, with neither credentials nor a
 * fragment. Kept as it was given.
 */
export const mcpServerUrl = z.string().max(2048).refine(isServerUrl, {
  error: "Field '{field}' must be an https address without credentials and fragment.",
});

function isServerUrl(text: string): boolean {
  if (!/^https?:\/\/[\u0021-\u007e]+$/i.test(text) || text.includes("#")) return false;
  try {
    const { username, password, hostname } = new URL(text);
    return username === "" && password === "" && hostname !== "" && !/^[^/]*\/\/[^/]*@/.test(text);
  } catch {
    return false;
  }
}
