#!/usr/bin/env bash
# Installs the Debian package with what it depends on into a new Debian system, by the words of the
# Containerfile, and uses it there.
# Prints TAP.
#   usage: clean_system_test.sh PACKAGE_SCRIPT
set -u
script=$(readlink -f "$1")
skip() { echo "1..0 # SKIP $*"; exit; }
(( EUID == 0 )) || skip 'only root makes a system'
command -v debootstrap >/dev/null || skip 'debootstrap is not installed'
work=$(mktemp -d)
system=$work/system
trap 'umount "$system/proc" 2>/dev/null; rm -rf "$work"' EXIT
debootstrap --variant=minbase bookworm "$system" >"$work/said" 2>&1 || skip 'no archive of Debian here'
# What this machine needs to reach the archive.
cp /etc/apt/apt.conf.d/* "$system/etc/apt/apt.conf.d/"
cp /etc/resolv.conf "$system/etc/"
mount -t proc proc "$system/proc"
count=0

check() {  # NAME COMMAND ...
  local name=$1 said
  shift
  (( count += 1 ))
  if said=$("$@" 2>&1); then echo "ok $count - $name"; return; fi
  echo "not ok $count - $name"
  printf '%s\n' "$said" | tail -20 | sed 's/^/# /'
}
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$system" "$@"; }
# What the last stage of the Containerfile runs, with its lines joined.
container_words() {
  sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$(dirname "$script")/Containerfile" | sed -n '/^FROM/h; /^RUN/H; ${x; s/.*\nRUN //p}'
}
has_words() { [[ $(container_words) == apt-get* ]]; }
installed() { inside sh -c "$(container_words)"; }
compares() { inside pipewright compare | grep -q '^Take '; }
imports() { inside python3 -c 'import pipewright as pw; assert pw.simulate("example").iteration_time_s > 0'; }
is_gone() { inside apt-get remove -y pipewright && ! inside which pipewright; }

check 'a package is made' "$script" package -o "$system/package"
check 'the Containerfile installs it' has_words
check 'a new system takes it' installed
check 'it compares there' compares
check 'its Python module simulates' imports
check 'it goes again' is_gone
echo "1..$count"
