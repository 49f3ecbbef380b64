#!/usr/bin/env node
// The program `berth` of the npm package. It avoids new syntax, so that an old Node.js can run it and print the
// error.
"use strict";

const OLDEST = 24;
const PINNED = "__NODE_PACKAGES_VERSION__";

if (Number(process.versions.node.split(".")[0]) < OLDEST) {
  const here = `Berth needs Node.js ${OLDEST} or later, and this is ${process.version}`;
  const offer =
    process.platform === "linux"
      ? `: install a newer one, or add one beside Berth with npm install node-linux-${process.arch}@${PINNED}, and use npx berth.`
      : ": install a newer one.";
  process.stderr.write(`berth: ${here}${offer}\n`);
  process.exitCode = 2;
} else {
  // Compiled code is cached beside the packages if possible, which about halves the start-up time. Child
  // processes use the cache as well.
  const { join } = require("node:path");
  const modules = __dirname.lastIndexOf("node_modules");
  const beside = modules < 0 ? join(__dirname, "../..") : __dirname.slice(0, modules + "node_modules".length);
  const cache = process.env.NODE_COMPILE_CACHE || join(beside, ".cache/berth");
  process.env.NODE_COMPILE_CACHE = cache;
  require("node:module").enableCompileCache(cache);
  import("../packages/cli/dist/bundle/main.js");
}
