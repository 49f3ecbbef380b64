# shellcheck shell=sh
# Moves directories together, each to a new name in another directory. Links, other files and empty directories are left where they are.
#
# $@: NAME PATH of each. BERTH_GATHERED: the directory to move them to, which is made anew.
# Exit status: 0 when there is any; 1 otherwise.
rm -rf -- "$BERTH_GATHERED"
mkdir -m 700 -- "$BERTH_GATHERED" || exit 1
while [ $# -gt 0 ]; do
  name=$1 path=$2
  shift 2
  if [ ! -d "$path" ] || [ -L "$path" ] || [ -z "$(ls -A -- "$path")" ]; then continue; fi
  # Renaming a directory changes its "..".
  chmod u+rwx -- "$path" && mv -T -- "$path" "$BERTH_GATHERED/$name"
done
[ -n "$(ls -A -- "$BERTH_GATHERED")" ]
