#!/usr/bin/env node
// The program `berth` of the npm package. Plain old JavaScript, because it also runs on a Node.js that is too old.
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
  // Compiled code is kept beside the packages, where it can be: a start is about twice as quick. Children use it as well.
  const { join } = require("node:path");
  const modules = __dirname.lastIndexOf("node_modules");
  const beside = modules < 0 ? join(__dirname, "../..") : __dirname.slice(0, modules + "node_modules".length);
  const cache = process.env.NODE_COMPILE_CACHE || join(beside, ".cache/berth");
  process.env.NODE_COMPILE_CACHE = cache;
  require("node:module").enableCompileCache(cache);
  import("../packages/cli/dist/bundle/main.js");
}
