#!/bin/sh
# Says in one sentence what to use instead of a program that no session has. It is called by the program's name, and stands last on
# the PATH, so a program that an environment installs is found before it.
name=${0##*/}
case $name in
  docker | docker-compose | podman)
    sentence="A session has no container engine: start services as programs (the environment's packages.apt, such as postgresql), or ask the operator for an engine that runs your image (the environment's image)." ;;
  ping | ping6)
    sentence='Only TCP to allowed hosts leaves a session: try curl.' ;;
  *)
    sentence="Versions of languages are chosen by the session's environment (runtimes), not by $name." ;;
esac
printf '%s: %s\n' "$name" "$sentence" >&2
exit 127
