#!/bin/sh
# The program that git runs in the place of ssh-keygen. It has signatures made outside of the sandbox, where the key is, from the SHA-512
# of what is signed. What git has ssh-keygen do besides, ssh-keygen does.
#
# git runs: git-sign -Y sign -n git -f KEY [-U] FILE, and expects the signature in FILE.sig.
case " $* " in *" -Y sign "*) ;; *) exec ssh-keygen "$@" ;; esac
for file; do :; done
digest=$(sha512sum <"$file") || exit
url=http://signing.berth.invalid/${digest%% *}
if command -v curl >/dev/null; then
  answer=$(curl -q -sS --max-time 30 "$url" 2>&1)
elif command -v wget >/dev/null; then
  answer=$(wget -q -T 30 -O - "$url" 2>&1)
else
  answer="Neither curl nor wget is installed."
fi
case $answer in
  "-----BEGIN SSH SIGNATURE-----"*) printf '%s\n' "$answer" >"$file.sig" ;;
  *)
    printf '%s\n' "berth: no signature: ${answer:-no response}" >&2
    exit 1
    ;;
esac
