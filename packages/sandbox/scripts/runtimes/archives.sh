# shellcheck shell=sh
# Makes the tree of a runtime from archives. Comes after begin.sh.
#
# $ARCHIVES: a line for each archive: its URL, its digest (sha256-… or sha512-…), the directory of the tree for its contents,
# and the number of leading components to remove from its paths. No word is empty or has a space.
unpack() { # name, directory, components
  case $1 in
    *.tgz | *.tar.gz) tar -xzf fetched -C "$2" --strip-components="$3" --no-same-owner --no-same-permissions ;;
    *.tar.xz | *.txz) tar -xJf fetched -C "$2" --strip-components="$3" --no-same-owner --no-same-permissions ;;
    *.zip | *.whl)
      unzip -q fetched -d unpacked
      from=unpacked
      for _ in $(seq "$3"); do from=$(echo "$from"/*); done
      cp -R "$from"/. "$2"
      rm -rf unpacked
      ;;
    *) cp fetched "$2/$1" && chmod 755 "$2/$1" ;;
  esac
}

printf '%s\n' "$ARCHIVES" | while read -r url digest into strip; do
  name=${url%%[?#]*} && name=${name##*/}
  curl --fail --silent --show-error --location --proto =https --connect-timeout 20 --retry 1 --output fetched -- "$url"
  echo "${digest#*-}  fetched" | "${digest%%-*}sum" --check --status || {
    echo "the file at $url has another digest than ${digest%%-*} ${digest#*-}"
    exit 1
  }
  mkdir -p "tree/$into"
  unpack "$name" "tree/$into" "$strip"
  rm fetched
done
