#!/usr/bin/env python3
"""Measures whole processes as a user starts them, against micro-batches, ranks, flows, packets and
points, and writes the table of tests/perf/README.md again. A row has the CPU time of the process and
of its threads, the least of its runs, and its peak memory: both hardly depend on what else the
machine does. The exponent of a series is the slope of the line of least squares through the
logarithms of size and CPU time, over its last three sizes, where the start of the process no longer
counts.
  usage: tests/perf/scaling.py PROGRAM [--write] [--series WORD] [--runs N]
--write puts the table into README.md, --series takes those only whose name has the word, --runs is
how often each process runs (2)."""
import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

BEGIN, END = '<!-- scaling.py: begin -->', '<!-- scaling.py: end -->'
README = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'README.md')
FITTED = 3

HOSTS = 1024
FLOWS = """\
cluster: {node: p3.2xlarge, nodes: %d, fabric: {kind: fat-tree, link: eth-100, nics: 1}}
traffic: flows.csv
network: %s
"""
MODEL = """\
model: llama-3-70b
cluster: {node: dgx-h100, nodes: %d, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 8, pipeline: 4, sequence: true, zero: 1}
batch: {global: %d, micro: 1, sequence: 8192}
schedule: 1f1b
precision: bf16
optimizer: adamw
"""
STUDY = """\
experiment:
  model: llama-3-70b
  cluster: {node: dgx-h100, nodes: 128, fabric: {kind: fat-tree, link: ndr, nics: 8}}
  parallel: {tensor: 1, pipeline: 4, data: 256, zero: 1}
  batch: {global: 1024, micro: 1, sequence: 8192}
  schedule: 1f1b
  precision: bf16
  optimizer: adamw
vary:
  parallel.zero: [0, 1]
  recompute: [none, selective]
  batch.sequence: [%s]
"""
RANKED = """\
experiment: {model: llama-3-70b, cluster: {node: dgx-h100, nodes: 128, fabric: {kind: fat-tree, link: ndr, nics: 8}},
             batch: {global: 1024, sequence: 8192}, schedule: 1f1b, precision: bf16, optimizer: adamw}
vary:
  parallel.tensor: [1, 2, 4, 8]
  parallel.pipeline: [1, 2, 4, 8]
  batch.micro: [1, 2, 4, 8]
  recompute: [none, selective]
  parallel.zero: [0, 1]
  batch.global: [%s]
screen: 1
"""


def write(name, text):
    with open(name, 'w', encoding='utf-8') as file:
        file.write(text)


def micro_batches(count):
    return ['simulate', 'pp16-m128', '--set', f'model.synthetic.microbatches={count}']


def every_micro_batch(count):
    return [*micro_batches(count), '--every-micro-batch']


def devices(count):
    nodes = count // 8
    write('model.yaml', MODEL % (nodes, nodes))
    return ['simulate', 'model.yaml']


def every_rank(count):
    return ['simulate', 'pp16-m128', '--no-fold', '--set', f'cluster.devices={count}',
            '--set', f'parallel.data={count // 16}']


def flows(count, spread_s, network='flow'):
    draw = random.Random(count)
    lines = ['from,to,bytes,start']
    for _ in range(count):
        sender, receiver = draw.sample(range(HOSTS), 2)
        lines.append(f'{sender},{receiver},{draw.randint(1 << 20, 1 << 26)},'
                     f'{draw.uniform(0, spread_s):.6f}')
    write('flows.csv', '\n'.join(lines) + '\n')
    write('flows.yaml', FLOWS % (HOSTS, network))
    return ['simulate', 'flows.yaml']


def packets(count):
    """A hundred flows of as many packets of 1500 bytes as make up the count."""
    draw = random.Random(count)
    lines = ['from,to,bytes,start']
    for _ in range(100):
        sender, receiver = draw.sample(range(64), 2)
        lines.append(f'{sender},{receiver},{count // 100 * 1500},0')
    write('flows.csv', '\n'.join(lines) + '\n')
    write('flows.yaml', FLOWS % (64, '{packet: {mtu: 1500 B}}'))
    return ['simulate', 'flows.yaml']


def points(count):
    write('study.yaml', STUDY % ', '.join(str(1024 + 32 * k) for k in range(count // 4)))
    return ['sweep', 'study.yaml', '--jobs', '1', '--quiet']


def ranked(count):
    write('study.yaml', RANKED % ', '.join(str(1024 * (k + 1)) for k in range(count // 256)))
    return ['sweep', 'study.yaml', '--jobs', '1', '--quiet']


# Name, how a process is told, and the sizes.
SERIES = [
    ('micro-batches, `simulate pp16-m128`', micro_batches,
     [2048, 8192, 32768, 131072]),
    ('micro-batches, each simulated: `--every-micro-batch`', every_micro_batch,
     [512, 2048, 8192, 32768]),
    ('devices, Llama 3 70B on DGX H100: `simulate`', devices,
     [1024, 4096, 16384, 65536]),
    ('ranks, each simulated: `simulate pp16-m128 --no-fold`', every_rank,
     [1024, 2048, 4096, 8192]),
    ('flows at once between 1,024 hosts', lambda count: flows(count, 0),
     [1000, 3000, 10000, 20000]),
    ('flows over 10 s between 1,024 hosts', lambda count: flows(count, 10),
     [3000, 10000, 30000, 100000]),
    ('packets of 100 flows between 64 hosts', packets,
     [10000, 100000, 1000000, 4000000]),
    ('points of a study of Llama 3 70B on 1,024 H100, simulated: `sweep --jobs 1`', points,
     [64, 128, 256, 512]),
    ('ways to run Llama 3 70B on 1,024 H100, ranked by closed form: `sweep --jobs 1`', ranked,
     [4096, 16384, 65536, 131072]),
]


def run(command):
    """Returns CPU seconds and peak MiB of a process that ends well."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{said.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def exponent(sizes, seconds):
    """The slope of the line of least squares through the logarithms."""
    x, y = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y)) /
            sum((a - middle_x) ** 2 for a in x))


def measure(program, tell, sizes, runs):
    """Returns for each size CPU seconds and MiB: the least of the runs."""
    rows = []
    for size in sizes:
        command = [program, *tell(size)]
        took = [run(command) for _ in range(runs)]
        rows.append((min(seconds for seconds, _ in took), min(memory for _, memory in took)))
    return rows


def cell(size, row):
    seconds, memory = row
    return f'{size:,}: {seconds:.2g} s, {memory:,.0f} MiB' if seconds < 1 else \
        f'{size:,}: {seconds:.3g} s, {memory:,.0f} MiB'


def table(measured):
    """Returns the table of (name, sizes, rows), with what it means."""
    lines = ['| series | CPU time and peak memory | exponent |', '|---|---|---|']
    for name, sizes, rows in measured:
        slope = exponent(sizes[-FITTED:], [seconds for seconds, _ in rows[-FITTED:]])
        cells = '<br>'.join(cell(size, row) for size, row in zip(sizes, rows))
        lines.append(f'| {name} | {cells} | {slope:.2f} |')
    return '\n'.join(lines)


def with_table(text, new):
    """Returns the document with another table between its marks."""
    head, mark, rest = text.partition(BEGIN)
    if not mark or END not in rest:
        raise SystemExit(f'{README}: has no {BEGIN} before {END}')
    return f'{head}{BEGIN}\n{new}\n{END}{rest.partition(END)[2]}'


def main(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--series', default='')
    parser.add_argument('--runs', type=int, default=2)
    asked = parser.parse_args(words)
    program = os.path.realpath(asked.program)
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, tell, sizes in SERIES:
            if asked.series in name:
                measured.append((name, sizes, measure(program, tell, sizes, asked.runs)))
                print(table(measured[-1:]).splitlines()[-1], flush=True)
        os.chdir('/')
    if asked.write:
        with open(README, encoding='utf-8') as file:
            text = file.read()
        write(README, with_table(text, table(measured)))


if __name__ == '__main__':
    main(sys.argv[1:])
