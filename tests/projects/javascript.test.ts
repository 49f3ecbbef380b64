import type { Project } from "./project.ts";
import { projectTests } from "./project-tests.ts";

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** A test of Node's own runner that a function of a package doubles a number. */
const doubles = (from: string): string => `import assert from "node:assert/strict";
import { test } from "node:test";
import { double } from "${from}";
test("doubles", () => assert.equal(double(21), 42));
`;

/** Two packages of a workspace, of which one uses the other and a package of the registry. */
const workspace = (manager: Readonly<Record<string, unknown>>, link: string): Record<string, string> => ({
  ".gitignore": "node_modules/\n.yarn/\n.pnp.*\npnpm-lock.yaml\nyarn.lock\n",
  "package.json": json({ name: "root", private: true, type: "module", ...manager }),
  "packages/core/package.json": json({
    name: "@acme/core",
    version: "1.0.0",
    type: "module",
    exports: "./core.js",
  }),
  "packages/core/core.js": "export const double = (number) => 2 * number;\n",
  "packages/app/package.json": json({
    name: "@acme/app",
    version: "1.0.0",
    type: "module",
    scripts: { test: "node --test" },
    dependencies: { "@acme/core": link, semver: "7.7.3" },
  }),
  "packages/app/app.test.js": `${doubles("@acme/core")}import semver from "semver";
test("has a dependency", () => assert.ok(semver.gt("1.10.0", "1.9.0")));
`,
});

const CHANGE = `sed -i 's/2 \\* number/number + number/' packages/core/core.js`;

/** Projects of JavaScript and TypeScript. */
const PROJECTS: readonly Project[] = [
  {
    name: "npm-workspaces",
    files: workspace({ workspaces: ["packages/*"] }, "1.0.0"),
    check:
      "npm install --no-audit --no-fund --no-package-lock >/dev/null\nnpm test --workspace @acme/app >/dev/null",
    change: CHANGE,
  },
  {
    name: "pnpm-workspace",
    runtimes: { node: "22", pnpm: "10" },
    files: {
      ...workspace({}, "workspace:*"),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    },
    check:
      "pnpm install --lockfile-only >/dev/null\npnpm install --frozen-lockfile >/dev/null\npnpm --recursive test >/dev/null\nnode --version | grep -q '^v22\\.'",
    change: `${CHANGE}\npnpm --filter @acme/app add semver@7.7.2 >/dev/null`,
  },
  {
    name: "yarn-workspace",
    runtimes: { yarn: "4" },
    files: {
      ...workspace({ workspaces: ["packages/*"] }, "workspace:^"),
      ".yarnrc.yml": "nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: true\n",
    },
    check: "yarn install >/dev/null\nyarn workspace @acme/app node --test >/dev/null",
    change: CHANGE,
  },
  {
    name: "native-addon",
    files: {
      ".gitignore": "build/\nnode_modules/\n",
      "package.json": json({
        name: "native-addon",
        private: true,
        scripts: { install: "make", test: "node --test" },
        dependencies: { "node-api-headers": "1.6.0" },
      }),
      Makefile:
        "build/answer.node: answer.c\n\tmkdir -p build\n\t$(CC) -shared -fPIC -I node_modules/node-api-headers/include -o $@ $<\n",
      "answer.c": `#include <node_api.h>

static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value value;
  napi_create_int32(env, 6 * 7, &value);
  return value;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "answer", NAPI_AUTO_LENGTH, answer, NULL, &function);
  napi_set_named_property(env, exports, "answer", function);
  return exports;
}
`,
      "answer.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
test("answers", () => assert.equal(require("./build/answer.node").answer(), 42));
`,
    },
    check: "npm install --no-audit --no-fund --no-package-lock >/dev/null\nnpm test >/dev/null",
    change: "sed -i 's/6 [*] 7/7 * 6/' answer.c",
  },
  {
    name: "vite-reload",
    files: {
      ".gitignore": "node_modules/\ndist/\n",
      "package.json": json({
        name: "vite-reload",
        private: true,
        type: "module",
        devDependencies: { vite: "7.3.1" },
      }),
      "index.html":
        '<!doctype html><title>App</title><p id="app"></p><script type="module" src="/main.js"></script>\n',
      "main.js":
        'import { text } from "./text.js";\ndocument.querySelector("#app").textContent = text;\nimport.meta.hot?.accept("./text.js", (changed) => { document.querySelector("#app").textContent = changed.text; });\n',
      "text.js": 'export const text = "before";\n',
      "reload.js": `import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";

const { createServer } = await import(process.argv[2]);
// A program that edits a file is told to the page by the server, which watches with inotify.
const server = await createServer({ logLevel: "silent", server: { port: 0 } });
await server.listen();
const at = \`http://localhost:\${server.httpServer.address().port}\`;
assert.match(await (await fetch(\`\${at}/main.js\`)).text(), /text\\.js/);
assert.match(await (await fetch(\`\${at}/text.js\`)).text(), /export const text/);
const changed = once(server.watcher, "change");
const text = readFileSync("text.js", "utf8");
writeFileSync("text.js", text);
assert.match((await changed)[0], /text\\.js$/);
await server.close();
`,
    },
    check:
      "npm install --no-audit --no-fund --no-package-lock >/dev/null\nnode reload.js vite\nnpx vite build --logLevel error\ngrep -rq 'App' dist/index.html",
    page: {
      start:
        "npx vite --port 5173 --strictPort >/tmp/vite.log 2>&1 &\nuntil curl -sf http://localhost:5173/ >/dev/null; do kill -0 $! || { cat /tmp/vite.log; exit 1; }; done",
      port: 5173,
      shows: "before",
      edit: "sed -i 's/before/at once/' text.js",
      showsThen: "at once",
      end: "sed -i 's/at once/before/' text.js; pkill -f vite",
    },
    change: `sed -i 's/before/after/' text.js`,
  },
  {
    name: "playwright",
    apt: ["chromium"],
    files: {
      ".gitignore": "node_modules/\n*.png\n",
      "package.json": json({
        name: "playwright",
        private: true,
        type: "module",
        dependencies: { "playwright-core": "1.58.2" },
      }),
      "page.html":
        '<!doctype html><title>Page</title><button onclick="this.textContent = 6 * 7">Count</button>\n',
      "page.js": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end(readFileSync("page.html")));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
const page = await browser.newPage();
await page.goto(\`http://127.0.0.1:\${server.address().port}\`);
await page.click("button");
assert.equal(await page.textContent("button"), "42");
await page.screenshot({ path: "page.png" });
await browser.close();
server.close();
`,
    },
    check: "npm install --no-audit --no-fund --no-package-lock >/dev/null\nnode page.js\n[ -s page.png ]",
    change: "sed -i 's/6 [*] 7/7 * 6/' page.html",
  },
];

projectTests(PROJECTS);
