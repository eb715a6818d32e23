"""What a factor is worth on a framework that it was not fitted to: the table of workloads/validation/README.md.

usage: left_out.py ROOT. Prints TAP; with PIPEWRIGHT_ACCEPT set it writes the table into the document.

A run is its predicted time, of which residuals.csv says the shares that wait for the network and for the host; the
rest, bubbles included, follows kernels. A factor on one of the three moves the prediction by its share. The factor is
the one by which all other frameworks' runs are predicted best: their weighted median error is the least. Frameworks
weigh one, and so do the groups of a framework.
"""
import collections, csv, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

FRAMEWORKS = {'Megatron-LM, 2021 and 2022': ['sc21_', 'korthikanti_', 'vtrain_'],
              'NeMo, Megatron-Core': ['dgxc_8b', 'dgxc_nemotron', 'dgxc24', 'dgxc25', 'mlperf_', 'mbridge_', 'megatron_',
                                      'simumax_'],
              'Megatron-DeepSpeed': ['bloom_', 'mtnlg'], 'llm-foundry': ['lf_'], 'torchtitan': ['torchtitan_'],
              'paxml': ['dgxc_paxml'], 'DT-FM': ['dtfm_'], 'nanotron': ['ultrascale_'],
              'images, translation, BERT': ['dle_', 'lambda_', 'tf_', 'torchgpipe_']}
CONSTANTS = {'kernels': lambda run: 1 - float(run['exposed']) - float(run['host']),
             'network': lambda run: float(run['exposed']), 'hosts': lambda run: float(run['host'])}
FACTORS = sorted((n / 100 for n in range(70, 151)), key=lambda factor: abs(factor - 1))  # of equals, the nearest to 1
BEGIN, END = '<!-- left out: tests/validation/left_out.py -->', '<!-- end of left out -->'


def framework_of(group):
    return [name for name, prefixes in FRAMEWORKS.items() if group.startswith(tuple(prefixes))]


def median_error(runs, share, factor):
    """The weighted median of the errors of `runs`, pairs of weight and run, with `factor` on what `share` tells."""
    errors = sorted((abs((1 + share(run) * (factor - 1)) / float(run['slower']) - 1), weight) for weight, run in runs)
    half, below = sum(weight for weight, _ in runs) / 2, 0
    for error, weight in errors:
        below += weight
        if below >= half:
            return error


def weighed(runs):
    """Each run with its weight: a framework weighs one, and its groups weigh alike."""
    groups = collections.defaultdict(collections.Counter)
    for name, run in runs:
        groups[name][run['group']] += 1
    return [(1 / len(groups[name]) / groups[name][run['group']], run) for name, run in runs]


def table(runs):
    lines = ['| framework left out | error as it is | ' + ' | '.join(f'{name}, error' for name in CONSTANTS) + ' |',
             '|---|---|' + '---|' * len(CONSTANTS)]
    for left in FRAMEWORKS:
        out = weighed([(name, run) for name, run in runs if name == left])
        rest = weighed([(name, run) for name, run in runs if name != left])
        cells = []
        for share in CONSTANTS.values():
            factor = min(FACTORS, key=lambda one: median_error(rest, share, one))
            cells.append(f'x {factor:.2f}, {100 * median_error(out, share, factor):.1f}')
        lines.append(f'| {left} | {100 * median_error(out, lambda run: 0, 1):.1f} | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


root = sys.argv[1]
with open(f'{root}/workloads/validation/residuals.csv', encoding='utf-8') as residuals:
    rows = list(csv.DictReader(residuals))
unplaced = sorted({row['group'] for row in rows if len(framework_of(row['group'])) != 1})
ok(not unplaced, 'each published group is of one framework', unplaced)
found = table([(framework_of(row['group'])[0], row) for row in rows if row['group'] not in unplaced])

document = f'{root}/workloads/validation/README.md'
before, _, rest = open(document, encoding='utf-8').read().partition(BEGIN)
_, _, after = rest.partition(END)
if os.environ.get('PIPEWRIGHT_ACCEPT') and after:
    with open(document, 'w', encoding='utf-8') as text:
        text.write(f'{before}{BEGIN}\n{found}\n{END}{after}')
ok(f'{BEGIN}\n{found}\n{END}' in open(document, encoding='utf-8').read(),
   'the table of factors is that of the residuals (PIPEWRIGHT_ACCEPT=1 writes it)', found)
done()
