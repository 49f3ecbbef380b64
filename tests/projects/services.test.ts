import type { Project } from "./project.ts";
import { projectTests } from "./project-tests.ts";

const DEVCONTAINER = `// What editors open.
{
  "name": "fleet",
  "features": {
    "ghcr.io/devcontainers/features/node:1": { "version": "24" },
    "ghcr.io/devcontainers/features/python:1": { "version": "3.13", "installTools": false },
  },
  "containerEnv": { "FLEET": "\${containerWorkspaceFolder}/fleet.json" },
  "postCreateCommand": "pnpm install --no-lockfile && go build -o bin/count ./count",
  "forwardPorts": [4173],
  "customizations": { "vscode": { "extensions": ["golang.go"] } },
}
`;

/** Projects whose tests start a server in the sandbox. */
const PROJECTS: readonly Project[] = [
  {
    name: "postgresql",
    apt: ["postgresql"],
    files: {
      "schema.sql":
        "create table parts (id integer primary key, name text not null);\ninsert into parts values (1, 'hull'), (2, 'mast');\n",
      "test.sh": `#!/bin/bash
set -euo pipefail
export PATH=/usr/lib/postgresql/17/bin:$PATH PGHOST=/tmp/database
mkdir -p "$PGHOST"
initdb --auth=trust --username=agent "$PGHOST/data" >/dev/null
trap 'pg_ctl --pgdata "$PGHOST/data" --mode immediate stop >/dev/null; rm -rf "$PGHOST"' EXIT
pg_ctl --pgdata "$PGHOST/data" --options "-k $PGHOST -h 127.0.0.1" --log "$PGHOST/log" --wait start >/dev/null
createdb app
psql --quiet --set ON_ERROR_STOP=1 --file schema.sql app
[ "$(psql --tuples-only --no-align --command 'select count(*) from parts' app)" = 2 ]
[ "$(psql --host 127.0.0.1 --tuples-only --no-align --command 'show server_encoding' app)" = UTF8 ]
`,
    },
    check: "./test.sh",
    change: "sed -i 's/mast/sail/' schema.sql",
  },
  {
    name: "redis",
    apt: ["redis-server", "redis-tools"],
    files: {
      "count.lua": "return redis.call('incrby', KEYS[1], ARGV[1])\n",
      "test.sh": `#!/bin/bash
set -euo pipefail
redis-server --port 6390 --save '' --daemonize yes --dir /tmp >/dev/null
trap 'redis-cli -p 6390 shutdown nosave' EXIT
until redis-cli -p 6390 ping >/dev/null 2>&1; do :; done
[ "$(redis-cli -p 6390 --eval count.lua ships , 42)" = 42 ]
`,
    },
    check: "./test.sh",
    change: "sed -i 's/incrby/INCRBY/' count.lua",
  },
  {
    name: "devcontainer",
    runtimes: "auto",
    // Its file asks for another Node.js, and for the only Python.
    devcontainer: {
      chosen: ["go go.mod", "node .nvmrc", "pnpm package.json", "python .devcontainer/devcontainer.json"],
      forwardPorts: [4173],
    },
    files: {
      ".devcontainer/devcontainer.json": DEVCONTAINER,
      ".gitignore": "node_modules/\nbin/\n__pycache__/\n",
      ".nvmrc": "22\n",
      "package.json":
        '{ "name": "fleet", "private": true, "packageManager": "pnpm@10.15.0", "dependencies": { "semver": "7.7.2" } }\n',
      "go.mod": "module acme.example/fleet\n\ngo 1.24\n",
      "fleet.json": '{ "needs": ">=22 <23", "ships": ["hull", "mast"] }\n',
      "count/main.go": `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func count(text []byte) (int, error) {
	var fleet struct{ Ships []string }
	err := json.Unmarshal(text, &fleet)
	return len(fleet.Ships), err
}

func main() {
	text, err := os.ReadFile(os.Getenv("FLEET"))
	if err != nil {
		panic(err)
	}
	number, err := count(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(number)
}
`,
      "count/main_test.go": `package main

import (
	"testing"
)

func TestCount(t *testing.T) {
	if number, err := count([]byte(\`{"ships": ["hull"]}\`)); number != 1 || err != nil {
		t.Fatal(number, err)
	}
}
`,
      "server.js": `const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const semver = require("semver");

const { needs } = JSON.parse(readFileSync(process.env.FLEET, "utf8"));
if (!semver.satisfies(process.version, needs)) throw new Error(\`\${process.version} is not \${needs}\`);
createServer((_request, response) => response.end(readFileSync(process.env.FLEET))).listen(4173, "127.0.0.1");
`,
      "count.py": `import json
import urllib.request

with urllib.request.urlopen("http://127.0.0.1:4173/") as answer:
    print(len(json.load(answer)["ships"]))
`,
    },
    check: `[ "$(node --version | cut -d . -f 1)" = "v$(cat .nvmrc)" ]
[ "$(pnpm --version)" = 10.15.0 ]
go version | grep -q ' go1\\.24'
python3 -c 'import sys; assert sys.version_info[:2] == (3, 13)'
go test ./... >/dev/null
node server.js &
trap "kill $!" EXIT
until curl -sf http://127.0.0.1:4173/ >/dev/null; do kill -0 $!; done
[ "$(python3 count.py)" = "$(bin/count)" ]`,
    change: `sed -i 's/"mast"/"mast", "sail"/' fleet.json`,
  },
];

projectTests(PROJECTS);
