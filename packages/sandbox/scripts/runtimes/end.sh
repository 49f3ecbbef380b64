# shellcheck shell=sh disable=SC2164 # begin.sh puts "set -e" before this
# Ends the scripts that make the tree of a runtime: makes its further programs, tries it, and lets everybody read it.
#
# $PROGRAMS: a line for each program: its name, and its path in the tree. $CHECK: a script that fails if the runtime does not
# work.
printf '%s\n' "$PROGRAMS" | while read -r name path; do
  [ -n "$name" ] || continue
  chmod +x "tree/$path"
  ln -s "../$path" "tree/bin/$name"
done
[ -n "$(ls tree/bin)" ] || {
  echo "it has no program in its directory 'bin'"
  exit 1
}
# The directory that Java's tools look for in JAVA_HOME.
if [ -x tree/bin/javac ]; then
  java=$(realpath tree/bin/javac)
  ln -sfnr "${java%/bin/javac}" tree/home
fi
# A Python of its own gets pip from its own wheels. The `pip` of an archive may name the directory where it was built.
python=$(realpath tree/bin/python3 2>/dev/null || true)
case $python in
  "$PWD"/tree/*)
    "$python" -m pip --version >/dev/null 2>&1 || "$python" -m ensurepip >/dev/null 2>&1 || true
    if "$python" -m pip --version >/dev/null 2>&1; then
      for name in pip pip3; do
        rm -f "tree/bin/$name"
        # shellcheck disable=SC2016 # the program expands it
        printf '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/python3" -m pip "$@"\n' >"tree/bin/$name"
        chmod 755 "tree/bin/$name"
      done
    fi
    ;;
esac
chmod -R u=rwX,go=rX tree
mkdir try && cd try
PATH=/data/tree/bin:$PATH HOME=/data/try sh -euc "$CHECK" </dev/null
