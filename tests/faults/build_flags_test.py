"""The programs read files of strangers: they are built with checks of buffers, of stacks and, where
they read, of the bounds of containers, and their tables of addresses are read-only once they have started.
usage: build_flags_test.py PROGRAM ... Prints TAP."""
import os, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok


def readelf(*words):
    return subprocess.run(['readelf', '--wide', *words], text=True, stdout=subprocess.PIPE, check=True).stdout


for program in sys.argv[1:]:
    name = os.path.basename(program)
    symbols, segments, dynamic = readelf('--symbols', program), readelf('--segments', program), readelf('--dynamic', program)
    ok('__stack_chk_fail' in symbols, f'{name} checks its stack')
    ok('_chk@' in symbols.replace('__stack_chk_fail', ''), f'{name} checks buffers (_FORTIFY_SOURCE)')
    ok('__glibcxx_assert_fail' in symbols, f'{name} checks the bounds of containers (_GLIBCXX_ASSERTIONS)')
    ok('GNU_RELRO' in segments, f'{name} has tables that become read-only')
    ok('BIND_NOW' in dynamic or 'NOW' in dynamic, f'{name} binds all when it starts')
    ok('DYN (' in readelf('--file-header', program), f'{name} lies anywhere in memory')
done()
