import type { Project } from "./project.ts";
import { projectTests } from "./project-tests.ts";

/** Projects of compiled languages and of Python. */
const PROJECTS: readonly Project[] = [
  {
    name: "cmake-sanitizers",
    files: {
      ".gitignore": "build/\n",
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.20)
project(sums C)
enable_testing()
add_compile_options(-fsanitize=address,undefined -g)
add_link_options(-fsanitize=address,undefined)
add_executable(sums sums.c)
add_executable(leaks leaks.c)
add_test(NAME sums COMMAND sums)
add_test(NAME leaks COMMAND leaks)
set_tests_properties(leaks PROPERTIES WILL_FAIL true)
`,
      "sums.c": "int main(void) { int sum = 0; for (int i = 1; i <= 4; i++) sum += i; return sum - 10; }\n",
      "leaks.c":
        "#include <stdlib.h>\nint main(void) { void *volatile lost = malloc(7); lost = 0; return lost != 0; }\n",
    },
    check: `cmake -S . -B build -G Ninja >/dev/null
cmake --build build >/dev/null
ctest --test-dir build >/dev/null
build/leaks 2>&1 | grep -q 'LeakSanitizer: detected memory leaks'`,
    change: "sed -i 's/i <= 4/i < 5/' sums.c",
  },
  {
    name: "make-gdb",
    files: {
      ".gitignore": "crash\ncore*\n",
      Makefile: "crash: crash.c\n\t$(CC) -g -O0 -o $@ $<\n",
      "crash.c": "static int divide(int by) { return 42 / by; }\nint main(void) { return divide(0); }\n",
    },
    check: `make -s
gdb -batch -ex run -ex backtrace ./crash 2>&1 | grep -q 'divide (by=0)'
strace -f -o trace.txt sh -c true; rm trace.txt`,
    change: "sed -i 's/42/43/' crash.c",
  },
  {
    name: "go-workspace",
    runtimes: { go: "1.24" },
    files: {
      "go.work": "go 1.24\n\nuse (\n\t./core\n\t./app\n)\n",
      "core/go.mod": "module acme.example/core\n\ngo 1.24\n",
      "core/core.go": "package core\n\nfunc Double(number int) int { return 2 * number }\n",
      "app/go.mod": "module acme.example/app\n\ngo 1.24\n",
      "app/main.go":
        'package main\n\nimport (\n\t"fmt"\n\n\t"acme.example/core"\n)\n\nfunc main() { fmt.Println(core.Double(21)) }\n',
      "app/main_test.go":
        'package main\n\nimport (\n\t"testing"\n\n\t"acme.example/core"\n)\n\nfunc TestDouble(t *testing.T) {\n\tif core.Double(21) != 42 {\n\t\tt.Fatal("not 42")\n\t}\n}\n',
    },
    check: 'go vet ./core ./app\ngo test -race ./app >/dev/null\n[ "$(go run ./app)" = 42 ]',
    change: "sed -i 's/2 \\* number/number + number/' core/core.go",
  },
  {
    name: "cargo-workspace",
    runtimes: { rust: "stable" },
    files: {
      ".gitignore": "target/\nCargo.lock\n",
      "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["core", "app"]\n',
      "core/Cargo.toml": '[package]\nname = "core-of-us"\nversion = "0.1.0"\nedition = "2021"\n',
      "core/src/lib.rs":
        "pub fn double(number: i32) -> i32 {\n    2 * number\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn doubles() {\n        assert_eq!(super::double(21), 42);\n    }\n}\n",
      "app/Cargo.toml":
        '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ncore-of-us = { path = "../core" }\n',
      "app/src/main.rs": 'fn main() {\n    println!("{}", core_of_us::double(21));\n}\n',
    },
    check:
      'cargo test --offline --quiet --workspace >/dev/null\ncargo clippy --offline --quiet -- -D warnings\ncargo fmt --check\n[ "$(cargo run --offline --quiet)" = 42 ]',
    change: "sed -i 's/2 \\* number/number + number/' core/src/lib.rs",
  },
  {
    name: "maven-offline",
    apt: [
      "maven",
      "openjdk-21-jdk-headless",
      "libmaven-resources-plugin-java",
      "libmaven-compiler-plugin-java",
      "libmaven-jar-plugin-java",
      "libsurefire-java",
      "junit4",
    ],
    files: {
      ".gitignore": "target/\n",
      "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>acme</groupId>
  <artifactId>app</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>21</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
      <plugin><artifactId>maven-jar-plugin</artifactId><version>3.3.0</version></plugin>
    </plugins>
  </build>
</project>
`,
      ".mvn/settings.xml":
        "<settings><mirrors><mirror><id>debian</id><mirrorOf>*</mirrorOf><url>file:///usr/share/maven-repo</url></mirror></mirrors></settings>\n",
      "src/main/java/acme/App.java":
        "package acme;\n\npublic final class App {\n  static int doubled(int number) { return 2 * number; }\n\n  public static void main(String[] arguments) { System.out.println(doubled(21)); }\n}\n",
      "src/test/java/acme/AppTest.java":
        "package acme;\n\nimport static org.junit.Assert.assertEquals;\n\npublic class AppTest {\n  @org.junit.Test\n  public void doubles() { assertEquals(42, App.doubled(21)); }\n}\n",
    },
    check: `mvn --quiet --batch-mode -s .mvn/settings.xml package
[ "$(java -cp target/classes acme.App)" = 42 ]`,
    change: "sed -i 's/2 \\* number/number + number/' src/main/java/acme/App.java",
  },
  {
    name: "python-pyproject",
    files: {
      ".gitignore": ".venv/\n*.egg-info/\nbuild/\n__pycache__/\n",
      "pyproject.toml": `[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "acme-core"
version = "1.0.0"
requires-python = ">=3.10"

[project.scripts]
acme-double = "acme_core:main"

[tool.setuptools]
packages = ["acme_core"]
package-dir = { "" = "src" }
ext-modules = [{ name = "acme_core.fast", sources = ["fast.c"] }]
`,
      "fast.c": `#include <Python.h>
static PyObject *twice(PyObject *self, PyObject *number) { return PyNumber_Add(number, number); }
static PyMethodDef methods[] = {{"twice", twice, METH_O, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fast", NULL, -1, methods};
PyMODINIT_FUNC PyInit_fast(void) { return PyModule_Create(&module); }
`,
      "src/acme_core/__init__.py":
        "from .fast import twice\n\n\ndef double(number):\n    return twice(number)\n\n\ndef main():\n    print(double(21))\n",
      "tests/test_double.py":
        "import unittest\n\nfrom acme_core import double\n\n\nclass Double(unittest.TestCase):\n    def test_doubles(self):\n        self.assertEqual(double(21), 42)\n",
    },
    check: `python3 -m venv --system-site-packages .venv
. .venv/bin/activate
pip install --quiet --no-build-isolation --no-index .
python -m unittest discover --start-directory tests
[ "$(acme-double)" = 42 ]`,
    change: "sed -i 's/return twice(number)/return twice(int(number))/' src/acme_core/__init__.py",
  },
];

projectTests(PROJECTS);
