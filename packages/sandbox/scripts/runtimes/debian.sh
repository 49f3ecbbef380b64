# shellcheck shell=sh disable=SC1091,SC2016,SC2164 # begin.sh puts "set -e" before this
# Makes the tree of a runtime from packages of Debian, and those that they need and the system lacks. Comes after begin.sh.
#
# $SUITE, $PACKAGES: the suite, and names of packages. Signatures are checked by apt, with the sources and keys of the system.
# Packages' own scripts do not run.
codename=${SUITE%%-*}
VERSION_CODENAME='' PRETTY_NAME=''
if [ -r /etc/os-release ]; then . /etc/os-release; fi
if [ "$VERSION_CODENAME" != "$codename" ] || [ ! -r /var/lib/dpkg/status ]; then
  echo "it needs Debian's $codename, and the system of sandboxes is ${PRETTY_NAME:-another}"
  exit 1
fi

mkdir -p apt/lists/partial apt/cache/archives/partial apt/debs
own() { # a program of apt, and its arguments
  "$@" -o Dir::State::Lists=/data/apt/lists -o Dir::Cache=/data/apt/cache -o Dir::Etc::SourceParts=/data/apt/sources \
    -o Debug::NoLocking=true -o APT::Sandbox::User= -o Acquire::Retries=3
}
cp -R /etc/apt/sources.list.d apt/sources
if [ "$SUITE" = "$codename" ]; then
  set --
else
  mirror=$(own apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)' | awk -v suite="$codename" '$2 == suite { print $1; exit }')
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" >apt/sources/further.list
  set -- -t "$SUITE"
fi
own apt-get update -qq

# shellcheck disable=SC2086 # names of packages have no spaces
own apt-get install -qq --print-uris --no-install-recommends "$@" $PACKAGES patchelf |
  sed -n "s/^'[^']*' \([^ ]*\)_[^_ ]*_[^_ ]* .*/\1/p" >apt/names
cd apt/debs
# shellcheck disable=SC2046
own apt-get download -qq "$@" $(sort -u ../names)
cd /data
for deb in apt/debs/*.deb; do
  case $deb in
    */patchelf_*) dpkg-deb -x "$deb" apt/patchelf ;;
    *) dpkg-deb -x "$deb" tree ;;
  esac
done
patchelf=$(command -v patchelf || echo /data/apt/patchelf/usr/bin/patchelf)
rm -rf tree/usr/share/doc tree/usr/share/man tree/usr/share/lintian apt/debs apt/lists

# Links from the root lead to the tree where it has their targets.
find tree -type l -lname '/*' | while read -r link; do
  target=$(readlink "$link")
  if [ -e "tree$target" ] || [ -L "tree$target" ]; then ln -sfnr "tree$target" "$link"; fi
done

# Programs and libraries find libraries of the tree.
libraries=$(echo /data/tree/usr/lib/*-linux-gnu)
if [ -d "$libraries" ]; then
  find tree -type f \( -perm -u+x -o -name '*.so*' \) | while read -r file; do
    [ "$(head -c 4 "$file" | tr -d '\0')" = "$(printf '\177ELF')" ] || continue
    chmod u+w "$file"
    relative=$(realpath --relative-to="$(dirname "$file")" "$libraries")
    "$patchelf" --add-rpath "\$ORIGIN/$relative" "$file" 2>/dev/null || true
  done
fi

for program in tree/usr/bin/* tree/usr/lib/go-*/bin/* tree/usr/lib/jvm/*/bin/*; do
  if [ -x "$program" ]; then ln -sfnr "$program" "tree/bin/${program##*/}"; fi
done
rm -rf apt
