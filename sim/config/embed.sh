#!/bin/sh
# usage: embed.sh OUT.cpp OUT.d ROOT GLOB...
# Writes the files that match (folders under ROOT, then *.yaml and *.points in each) as a C++ table:
# kind (the folder), name (without .yaml) and text. The depfile names the folders too, so that ninja runs
# this again when a file is added or removed; no list of files is kept anywhere.
set -eu
export LC_ALL=C
out=$1 depfile=$2 root=$3
shift 3
{
  echo '#include "config/embedded.hpp"'
  echo 'namespace pipewright::config {'
  echo 'using namespace std::string_view_literals;'
  echo 'static constexpr EmbeddedFile files[] = {'
} >"$out"
printf '%s:' "$out" >"$depfile"
for glob in "$@"; do
  # Its parent too: a folder that comes later is seen there.
  [ ! -d "$root/${glob%/*}" ] || printf ' %s' "$root/${glob%/*}" >>"$depfile"
  for folder in "$root"/$glob; do
    [ -d "$folder" ] || continue
    printf ' %s' "$folder" >>"$depfile"
    for file in "$folder"/*.yaml "$folder"/*.points; do
      [ -f "$file" ] || continue
      printf ' %s' "$file" >>"$depfile"
      name=${file##*/}
      printf '{"%s", "%s", R"yaml(' "${folder##*/}" "${name%.yaml}"
      cat "$file"
      echo ')yaml"sv},'
    done
  done
done >>"$out"
echo >>"$depfile"
{
  echo '};'
  echo 'std::span<const EmbeddedFile> embedded_files() { return files; }'
  echo '}  // namespace pipewright::config'
} >>"$out"
