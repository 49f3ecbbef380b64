import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

/** Starts nginx with a site. It logs errors to `nginx.log` in the directory. */
export function startNginx(directory: string, site: string): ChildProcess {
  const at = (name: string) => join(directory, name);
  const directories = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = directories.map((name) => `${name}_temp_path ${at(`nginx-${name}`)};`).join(" ");
  writeFileSync(
    at("nginx.conf"),
    `daemon off; master_process off; pid ${at("nginx.pid")}; error_log ${at("nginx.log")};
     events {} http { access_log off; ${temporary} ${site} }`,
  );
  return spawn("nginx", ["-p", directory, "-e", at("nginx.log"), "-c", at("nginx.conf")], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: "ignore",
  });
}

/** Starts Caddy with a site. */
export function startCaddy(directory: string, site: string): ChildProcess {
  const at = (name: string) => join(directory, name);
  mkdirSync(at("caddy"));
  writeFileSync(at("Caddyfile"), `{\n  admin off\n  auto_https disable_redirects\n}\n${site}`);
  return spawn("caddy", ["run", "--config", at("Caddyfile"), "--adapter", "caddyfile"], {
    env: { ...process.env, HOME: at("caddy"), XDG_DATA_HOME: at("caddy"), XDG_CONFIG_HOME: at("caddy") },
    stdio: "ignore",
  });
}

export async function stopProxy(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null || proxy.signalCode !== null) return;
  const exit = once(proxy, "exit");
  proxy.kill("SIGTERM");
  await exit;
}

/** Returns a port of 127.0.0.1 that was free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
