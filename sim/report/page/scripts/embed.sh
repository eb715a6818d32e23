#!/bin/sh
# usage: embed.sh OUT.cpp VERSION PAGE.html PAGE.css SCRIPT.js...
# Writes the page as three C++ texts. Lines of PAGE.html that are one of {style}, {title}, {data}
# and {scripts} alone stand for what comes there; title and data end a text.
set -eu
export LC_ALL=C
out=$1 version=$2 page=$3 style=$4
shift 4

begin() { printf '%s\n' "const std::string_view $1 = R\"page(" | tr -d '\n'; }
finish() { echo ')page"sv;'; }
{
  echo '#include "report/page/embedded.hpp"'
  echo 'namespace pipewright::page {'
  echo 'using namespace std::string_view_literals;'
  begin before_title
  while IFS= read -r line; do
    case $line in
      '{style}') cat "$style" ;;
      '{title}') finish && begin before_data ;;
      '{data}') finish && begin after_data ;;
      '{scripts}')
        for script in "$@"; do
          echo '<script>'
          cat "$script"
          echo '</script>'
        done
        ;;
      *'{version}'*) printf '%s\n' "${line%%\{version\}*}$version${line#*\{version\}}" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <"$page"
  finish
  echo '}  // namespace pipewright::page'
} >"$out"
