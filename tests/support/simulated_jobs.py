"""Jobs of models that the program under test simulates, and its diagnoses of their traces, for tests written in Python."""
import json
import os
import subprocess
import sys
import tempfile

program = sys.argv[1]
folder = tempfile.mkdtemp()


def file(name):
    return os.path.join(folder, name)


def run(*words, given=None):
    return subprocess.run([program, *words], input=given and json.dumps(given), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def job(experts=False, **changed):
    transformer = {'layers': 16, 'hidden': 4096, 'heads': 32, 'ffn': 16384, 'vocabulary': 1024}
    if experts:
        transformer['experts'] = {'count': 8, 'active': 2, 'ffn': 4096}
    return {'model': {'transformer': transformer}, 'cluster': {'node': 'dgx-h100', 'nodes': 1}, 'parallel': {'pipeline': 4, 'data': 2, 'zero': 1},
            'batch': {'global': 16, 'micro': 1, 'sequence': 2048}, 'schedule': '1f1b'} | changed


def simulate(experiment, name=None, *options):
    """The seconds that it takes. With a name its trace is kept in that file."""
    words = ['--trace', file(name), *options] if name else []
    finished = run('simulate', '-', '--json', '-', '-q', *words, given=experiment)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)['makespan_s']


def diagnose(*words):
    """The diagnosis of traces, or what the program says against them."""
    finished = run('diagnose', *words, '--json', '-', '-q')
    return json.loads(finished.stdout) if finished.returncode == 0 else finished.stderr


def causes(found, kind):
    return [one for one in found['causes'] if one['cause'] == kind]
