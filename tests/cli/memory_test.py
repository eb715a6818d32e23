#!/usr/bin/env python3
"""Holds how the program asks for memory: in large pages where the system has them, and not for more
than there may be. Prints TAP.
  usage: memory_test.py PROGRAM"""
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
sys.dont_write_bytecode = True
import tap  # noqa: E402

PAGES = '/sys/kernel/mm/transparent_hugepage/enabled'
ADDRESSES = 900 * 2 ** 20  # fewer than are taken where nothing is limited


def run(*words, limit=None):
    """Returns the exit status, the pages that were asked for and those that were held."""
    def start():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    process = subprocess.Popen([os.path.realpath(sys.argv[1]), *words], preexec_fn=start,
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return status, usage.ru_minflt, usage.ru_maxrss * 1024 // resource.getpagesize()


JOB = ['simulate', 'pp16-m128', '--no-fold', '--quiet']
status, asked, held = run(*JOB)
tap.ok(status == 0, 'a job of half a million ops runs', status)
if os.path.exists(PAGES) and '[never]' not in open(PAGES, encoding='utf-8').read():
    tap.ok(asked < held / 2, 'large pages: far fewer are asked for than are held', (asked, held))
tap.ok(run(*JOB, limit=ADDRESSES)[0] == 0, 'it runs where addresses are scarce')
tap.ok(run('list', 'schedules')[2] * resource.getpagesize() < 64 * 2 ** 20,
       'what is reserved and not used is no memory')
tap.done()
