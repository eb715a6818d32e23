"""README's table of what is modelled is what the program's lists hold. usage: modelled_test.py PROGRAM ROOT. Prints TAP.
With PIPEWRIGHT_ACCEPT=1 the table is written into README."""
import json, os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, root = sys.argv[1:3]
BEGIN, END = '| what | which |\n', '\nThe median error'


def said(*words):
    return subprocess.run([program, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def entries(kind):
    """The names of a listing."""
    return re.findall(r'^  (\S+)  ', said('list', kind), re.MULTILINE)


def choices(key):
    """The choices of a key of an experiment."""
    return re.findall(r'^    (\S+)  ', said('help', key).split('\n  choices\n')[1], re.MULTILINE)


def degrees():
    return re.findall(r'^  parallel\.(\w+)  ', said('help', 'parallel'), re.MULTILINE)


def mixers():
    """What mixes the tokens of a block."""
    kinds = json.loads(said('schema', 'model'))['$defs']['mixer']['enum']
    return [kind for kind in kinds if kind != 'none']


def jobs():
    """The kinds of files that import makes an experiment of."""
    return re.findall(r'^  (\S+) .*\n +an experiment$', said('import', '--help'), re.MULTILINE)


def table():
    counted = [f'{len(entries(kind))} {kind}' for kind in ('models', 'devices', 'nodes', 'links')]
    rows = {
        'blocks': f'mixers {", ".join(mixers())}; MLPs and mixtures of experts; towers of images',
        'parallelism': ', '.join(degrees()),
        'schedules': ', '.join(entries('schedules')) + "; your own as rules, as a program or as PyTorch's CSV",
        'training': f'optimizers {", ".join(choices("optimizer"))}; frameworks {", ".join(choices("framework"))}',
        'number formats': ', '.join(choices('precision')) + f'; fp8 {", ".join(choices("precision.fp8"))}',
        'memory': f'run again {", ".join(choices("recompute.modules"))}; on the host {", ".join(choices("offload")[1:])}',
        'hosts and kernels': f'CUDA graphs of {", ".join(choices("launches.graphs"))}; '
                             f'tokens sent by {", ".join(choices("dispatch.kernels")[1:])}',
        'catalogue': f'{", ".join(counted)}, and configurations of Hugging Face; networks {", ".join(entries("networks"))}',
        'jobs of other tools': ', '.join(jobs()),
    }
    return BEGIN + '|---|---|\n' + ''.join(f'| {what} | {which} |\n' for what, which in rows.items())


path = f'{root}/README.md'
readme = open(path).read()
found = readme[readme.index(BEGIN):readme.index(END)]
if os.environ.get('PIPEWRIGHT_ACCEPT'):
    open(path, 'w').write(readme.replace(found, table()))
    found = table()
ok(found == table(), 'README lists what is modelled', {'README': found, 'lists': table()})
ok(all(row.count(',') for row in found.splitlines()[2:]), 'every list has entries', found)
done()
