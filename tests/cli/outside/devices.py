"""Laws over the catalogue of devices that any right answer obeys. usage: devices.py PROGRAM. Prints TAP."""
import json
import os
import re
import subprocess
import sys

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
sys.path.insert(0, os.path.join(root, 'tests/support'))
from tap import done, ok

program = sys.argv[1]


def answer(*words, given=None):
    finished = subprocess.run([program, *words, '--json', '-', '--quiet'], input=given and json.dumps(given), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(finished.stdout) if finished.returncode == 0 else finished.stderr


def entry(kind, name):
    with open(os.path.join(root, 'topologies', kind, name + '.yaml')) as file:
        return file.read()


def found(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match and match.group(1)


PREFIX = {'M': 1e6, 'G': 1e9, 'T': 1e12}


def rate(text):
    """12 GB/s or 12 TFLOP/s as a number."""
    number, unit = text.split()
    return float(number) * PREFIX[unit[0]]


class Node:
    """A node of eight GPUs as the catalogue has it."""

    def __init__(self, name):
        text = entry('nodes', name)
        self.name, self.gpu = name, found(r'^device: (\S+)', text)
        device = entry('devices', self.gpu)
        link = found(r'^interconnect: .*link: ([\w-]+)', text) or found(r'^host_link: (\S+)', device)
        self.inside = rate(found(r'^bandwidth: (.*)', entry('links', link)).split('#')[0].strip())
        self.memory = rate(found(r'^memory_bandwidth: (.*)', device))
        self.peaks = {kind: rate(peak) for kind, peak in re.findall(r'(\w+): ([\d.]+ TFLOP/s)', found(r'^flops: (.*)', device))}
        overhead, unit = found(r'^launch_overhead: (.*)', device).split()
        assert unit == 'us'
        self.overhead = float(overhead)

    def is_below(self, other):
        """No rate is higher, and one is lower."""
        if any(peak > other.peaks.get(kind, 0) for kind, peak in self.peaks.items()):
            return False
        pairs = [(self.inside, other.inside), (self.memory, other.memory), (-self.overhead, -other.overhead)]
        return all(a <= b for a, b in pairs) and self.peaks != other.peaks


names = sorted(name[:-5] for name in os.listdir(os.path.join(root, 'topologies/nodes')))
nodes = [Node(name) for name in names if found(r'^(devices: 8)$', entry('nodes', name)) and found(r'^(kind: gpu)', entry('devices', found(r'^device: (\S+)', entry('nodes', name))))]

# Between nodes the wire decides: one NIC of 12.5 GB/s, far less than any links within a node but those of PCIe 3,
# takes as long whatever GPUs are behind it. NCCL's constants, and so its choice of an algorithm, differ by 5 %.
WIRE = {'kind': 'star', 'link': 'edr'}
for kind in ('all_gather', 'reduce_scatter', 'all_reduce', 'all_to_all', 'broadcast'):
    times = {}
    for node in nodes:
        if node.inside < 2e10:
            continue
        table = answer('collective', json.dumps({'node': node.name, 'nodes': 2, 'fabric': WIRE}), '--kind', kind, '-b', '1G', '-e', '1G')
        times[node.name] = table['rows'][0]['time_s'] if isinstance(table, dict) else table
    alike = all(isinstance(time, float) for time in times.values()) and max(times.values()) < 1.05 * min(times.values())
    ok(len(times) > 10 and alike, f'{kind} of 1 GiB takes as long over the same wire, whatever GPU', times)

# A GPU without a higher rate than another never gives a shorter iteration. So much of this one is on the wire that
# the rates of GPUs hardly matter.
iterations = {}
for node in nodes:
    job = {'model': 'gpt3-13b', 'cluster': {'node': node.name, 'nodes': 4, 'fabric': {'kind': 'fat-tree', 'link': 'roce-200', 'nics': 8}},
           'parallel': {'tensor': 8, 'zero': 3}, 'batch': {'global': 32, 'micro': 1, 'sequence': 1024}, 'schedule': '1f1b', 'precision': 'fp16'}
    result = answer('simulate', '-', given=job)
    if isinstance(result, dict):
        iterations[node.name] = result['iteration_time_s']
    else:
        print('#', node.name, result.strip())  # a GPU may not compute in fp16
pairs = [(a.name, b.name) for a in nodes for b in nodes if a.name in iterations and b.name in iterations and a.is_below(b)]
wrong = [(a, iterations[a], b, iterations[b]) for a, b in pairs if iterations[a] < iterations[b] * (1 - 1e-9)]
ok(not wrong, 'a GPU without a higher rate than another gives no shorter iteration', wrong)
ok(len(pairs) > 20, 'many GPUs can be compared so')

done()
