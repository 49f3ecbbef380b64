# shellcheck shell=sh
# Makes a Debian system from the recipe in packages/sandbox/src/system/recipe.txt: the root filesystem of bubblewrap sandboxes, and the
# content of the image for containers and pods. Define the functions first, then call them.

# Prints the lines of a recipe that hold for an architecture, without their comments, sorted. Root filesystems are named by them.
#
# $1: architecture as Node.js names it. Standard input: the text of recipe.txt.
recipe_lines() {
  sed -E -e 's/ *#.*//' -e "s/^npm ($1|any) /npm $1 /" |
    { grep -E "^(suite|version|debian|npm $1) " && echo "architecture $1"; } | LC_ALL=C sort
}

# Prints the value of a line of a recipe. $1: the lines. $2: the keyword.
recipe_value() { printf '%s\n' "$1" | sed -n "s/^$2 //p"; }

# Prints the paths of source lists for a suite, so that packages come from the operator's mirror: DEBIAN_MIRROR if it is set, or the
# mirror in this machine's lists, if it runs Debian of any release. Prints nothing otherwise: Debian's own servers are used then.
# Ignores a vendor's list, and one with a login, which agents could read.
#
# $1: the suite. $2: an empty directory for the lists. $3: apt's directory (default /etc/apt). $4: this machine's release, such as
# bookworm (default: what /etc/os-release says if this is Debian).
debian_sources() {
  if [ -n "${DEBIAN_MIRROR-}" ]; then
    key=/usr/share/keyrings/debian-archive-keyring.gpg mirror=${DEBIAN_MIRROR%/}
    for part in "$mirror $1" "$mirror $1-updates" "$mirror-security $1-security"; do
      echo "deb [signed-by=$key] $part main"
    done >"$2/mirror.list"
    echo "$2/mirror.list"
    return 0
  fi
  # shellcheck source=/dev/null
  host=${4-$(. /etc/os-release && if [ "$ID" = debian ]; then echo "${VERSION_CODENAME-}"; fi)}
  if [ -z "$host" ]; then return 0; fi
  for list in "${3-/etc/apt}"/sources.list "${3-/etc/apt}"/sources.list.d/*.list "${3-/etc/apt}"/sources.list.d/*.sources; do
    if lists_debian "$list" "$host"; then
      sed "s/\\b$host\\b/$1/g" "$list" >"$2/${list##*/}"
      echo "$2/${list##*/}"
    fi
  done
}

# Returns whether a source list is of Debian itself, for a release, and has no login. $1: its path. $2: the release.
lists_debian() {
  if [ ! -f "$1" ]; then return 1; fi
  text=$(grep -vE '^\s*#' "$1") || return 1
  case $1 in
  *.sources)
    set -- "^Suites:.*\\b$2\\b" '^URIs:.*/debian(-security)?/?\s*$'
    ;;
  *)
    set -- "^deb\\s+(\\[[^]]*\\]\\s*)?\\S*/debian(-security)?/?\\s+$2(-(updates|security|proposed-updates|backports))?\\s+main\\b"
    ;;
  esac
  if printf '%s\n' "$text" | grep -qE '://[^/[:space:]]*@'; then return 1; fi
  for pattern in "$@"; do printf '%s\n' "$text" | grep -qE "$pattern" || return 1; done
}

# Makes the system in a directory: WORK/tree. The caller removes WORK, also after a failure.
#
# $1: the lines of the recipe. $2: WORK, an empty directory. $3: URL of the npm registry. $4...: source lists or mirrors in the format of
# mmdebstrap; default: those of debian_sources.
debian_tree() {
  lines=$1 work=$2 tree=$2/tree registry=${3%/}; shift 3
  suite=$(recipe_value "$lines" suite)
  mkdir "$work/lists" "$work/npm"
  if [ $# = 0 ]; then
    # shellcheck disable=SC2046 # its paths are words
    set -- $(debian_sources "$suite" "$work/lists")
  fi
  npm_downloads "$lines" "$registry" "$work/npm"
  # The directories of manual pages have to exist, since packages make links in them with update-alternatives.
  # shellcheck disable=SC2016 # the shell of the hook expands it
  mmdebstrap --quiet --mode=root --variant=apt --include="$(recipe_value "$lines" debian | paste -sd,)" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt=force-unsafe-io --aptopt='APT::Install-Recommends "false"' \
    --extract-hook='for n in 1 2 3 4 5 6 7 8 9; do mkdir -p "$1/usr/share/man/man$n"; done' \
    --customize-hook='chroot "$1" localedef -i en_US -c -f UTF-8 en_US.UTF-8' \
    "$suite" "$tree" "$@"
  npm_unpack "$lines" "$tree" "$work/npm"
}

# Downloads the npm packages of a recipe, and compares their digests. $1: the lines. $2: URL of the registry. $3: the directory.
npm_downloads() {
  recipe_value "$1" npm | while read -r _ package version integrity; do
    url=$2/$package/-/$package-$version.tgz archive=$3/$package.tgz
    if ! curl -fsSL --retry 3 -o "$archive" "$url"; then echo "E: $url could not be downloaded" && exit 1; fi
    if [ "sha512-$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)" != "$integrity" ]; then
      echo "E: $url has another digest than the recipe" && exit 1
    fi
  done >&2
}

# Unpacks the npm packages of a recipe into the system. $1: the lines. $2: the system. $3: the directory of npm_downloads.
#
# They lie in /usr, like Debian's, so that /usr/local is free for what environments and npm install --global put there.
npm_unpack() {
  recipe_value "$1" npm | while read -r of package _ _; do
    archive=$3/$package.tgz
    case $package in
    node-linux-*) unpack_node "$archive" "$2/usr" "$of" ;;
    npm) unpack_module "$archive" "$2/usr" npm npm:bin/npm-cli.js npx:bin/npx-cli.js ;;
    corepack) unpack_module "$archive" "$2/usr" corepack corepack:dist/corepack.js ;;
    *) echo "E: nobody knows what to do with the npm package $package" >&2 && exit 1 ;;
    esac
  done
}

# $1: the archive. $2: /usr of the system. $3: architecture.
unpack_node() {
  tar -xzf "$1" --no-same-owner --strip-components=1 -C "$2" package/bin package/include
  mkdir -p "$2/share/doc/nodejs"
  tar -xzf "$1" --no-same-owner --strip-components=1 -C "$2/share/doc/nodejs" package/LICENSE
  chmod 755 "$2/bin/node"
  # The headers of OpenSSL are there once for each kind of machine.
  case $3 in arm64) kind=linux-aarch64 ;; *) kind=linux-x86_64 ;; esac
  find "$2/include/node/openssl/archs" -mindepth 1 -maxdepth 1 ! -name "$kind" -exec rm -rf {} +
}

# $1: the archive. $2: /usr of the system. $3: name of the package. $4...: COMMAND:FILE for each of its commands.
unpack_module() {
  archive=$1 usr=$2 module=lib/node_modules/$3; shift 3
  mkdir -p "$usr/$module"
  tar -xzf "$archive" --no-same-owner --strip-components=1 -C "$usr/$module"
  for command in "$@"; do
    ln -s "../$module/${command#*:}" "$usr/bin/${command%%:*}"
    chmod 755 "$usr/$module/${command#*:}"
  done
}
