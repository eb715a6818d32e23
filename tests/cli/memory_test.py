#!/usr/bin/env python3
"""Holds that the program asks for no more memory than there may be. Whether it is given in large pages is the
system's matter. Prints TAP.
  usage: memory_test.py PROGRAM"""
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'support'))
sys.dont_write_bytecode = True
import tap  # noqa: E402

ADDRESSES = 900 * 2 ** 20  # fewer than are taken where nothing is limited


def run(*words, limit=None):
    """Returns the exit status and the pages that were held."""
    def start():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    process = subprocess.Popen([os.path.realpath(sys.argv[1]), *words], preexec_fn=start,
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return status, usage.ru_maxrss * 1024 // resource.getpagesize()


JOB = ['simulate', 'pp16-m128', '--no-fold', '--quiet']
tap.ok(run(*JOB)[0] == 0, 'a job of half a million ops runs')
tap.ok(run(*JOB, limit=ADDRESSES)[0] == 0, 'it runs where addresses are scarce')
tap.ok(run('list', 'schedules')[1] * resource.getpagesize() < 64 * 2 ** 20,
       'what is reserved and not used is no memory')
tap.done()
