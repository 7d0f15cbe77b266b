#!/bin/sh
# Runs a compiler by way of ccache, so that it answers the same wherever the sources lie.
#   compile.sh SOURCE_FOLDER COMPILER ARGUMENTS…
# The compiler is told that it works in /proc/self/cwd, and writes that name to precompiled headers
# and to its lists of dependencies. Ninja does not follow links when it shortens `..`, and would look
# for the headers in /proc: the lists are made relative to the build folder again.
set -eu
sources=$1
shift
env PWD=/proc/self/cwd CCACHE_BASEDIR="$sources" CCACHE_NOHASHDIR=1 CCACHE_ABSSTDERR=1 \
  CCACHE_SLOPPINESS=pch_defines,time_macros ccache "$@"
previous=
for argument in "$@"; do
  if [ "$previous" = -MF ] && [ -f "$argument" ]; then
    sed -i 's,/proc/self/cwd/,,g' "$argument"
  fi
  previous=$argument
done
