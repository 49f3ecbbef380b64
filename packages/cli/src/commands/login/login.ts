import { resolve } from "node:path";
import { Berth } from "@berth/sdk";
import { askSecret } from "../../shared/ask-secret.ts";
import { isOperatorToken, userAgent } from "../../shared/connection.ts";
import { changeContexts, contextsFile } from "../../shared/contexts.ts";
import { UsageError } from "../../shared/failure.ts";
import { secretFile } from "../../shared/secret.ts";
import { givenAuthorities, trustAuthorities } from "../../shared/trust-authorities.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printLine, printMessage } from "../../terminal/print.ts";
import { callerOf, describeCaller } from "../service/describe-caller.ts";
import { deviceToken } from "./device-token.ts";

interface LoginOptions {
  name?: string;
  tokenFile?: string;
  device?: boolean;
  scopes?: string[];
  caFile?: string;
}

/** Logs in, and stores the token after the service has accepted it. */
export async function login(given: string | undefined, options: LoginOptions): Promise<undefined> {
  const url = serviceUrl(given ?? process.env.BERTH_URL);
  const name = options.name ?? url.host;
  if (!/^[\w.:[\]-]{1,100}$/.test(name))
    throw new UsageError("The name of a context consists of letters, digits and any of _ - . : [ ].");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    printMessage(`warning: ${url.href} is not encrypted: others on the network can read the token.`);
  const baseURL = url.href.replace(/\/$/, "");
  const file = givenAuthorities(options.caFile);
  const caFile = file === undefined ? undefined : resolve(file);
  await trustAuthorities(baseURL, caFile);
  const token = await tokenOf(options, baseURL);
  const client = new Berth({ baseURL, token, defaultHeaders: { "user-agent": userAgent } });
  const told = await callerLines(client, token);
  await changeContexts(({ contexts }) => ({
    current: name,
    contexts: { ...contexts, [name]: { url: baseURL, token, caFile } },
  }));
  printLine(plainLine(`Logged in to ${baseURL} as context '${name}', stored in ${contextsFile()}.`));
  for (const line of told) printLine(line);
}

/** Returns whose the token is, as the service says. */
async function callerLines(client: Berth, token: string): Promise<string[]> {
  if (!isOperatorToken(token)) return describeCaller(callerOf(await client.tokens.current()));
  await client.admin.organizations.list({ limit: 1 });
  return ["operator of the service: the context is for 'berth admin'"];
}

function serviceUrl(given: string | undefined): URL {
  if (given === undefined)
    throw new UsageError("Give the URL of the service, such as https://berth.example.com.");
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError("The URL of the service must be like https://berth.example.com.");
  if (url.username !== "" || url.password !== "")
    throw new UsageError("The URL of the service must not have a user or a password.");
  return url;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
}

async function tokenOf({ tokenFile, device, scopes }: LoginOptions, url: string): Promise<string> {
  if (device && tokenFile !== undefined)
    throw new UsageError(
      "Set either --device or --token-file, not both: with --device there is no token yet.",
    );
  if (!device && scopes !== undefined)
    throw new UsageError("--scopes needs --device: a token already has its scopes.");
  if (device) return await deviceToken(url, scopes);
  if (tokenFile === undefined && process.stdin.isTTY)
    printMessage("Without a token, press Enter: somebody who is logged in can approve this login.");
  const token = tokenFile === undefined ? await askSecret(`Token for ${url}: `) : await secretFile(tokenFile);
  if (token === "" && tokenFile === undefined && process.stdin.isTTY) return await deviceToken(url);
  if (token === "") throw new UsageError("No token was given.");
  if (/\s/.test(token)) throw new UsageError("A token has no spaces and no line breaks.");
  return token;
}
