"""Laws of networks that any right answer obeys, read off results alone. usage: networks.py PROGRAM. Prints TAP."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from tap import done, ok

program = sys.argv[1]


def answer(*words, given=None):
    finished = subprocess.run([program, *words, '--json', '-', '--quiet'], input=given and json.dumps(given), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(finished.stdout) if finished.returncode == 0 else finished.stderr


def run(experiment, *options):
    return answer('simulate', '-', *options, given=experiment)


# A group on more nodes, in which each member has as many bytes, is never faster. NCCL chooses an algorithm by
# constants of its own, so its choice for fewer nodes may be the worse; where it has one algorithm, the law holds too.
ALGORITHMS = {'ring': ['all_reduce', 'all_gather', 'reduce_scatter'], 'double-tree': ['all_reduce'], 'pairwise': ['all_to_all'],
              'recursive-doubling': ['all_reduce'], 'halving-doubling': ['all_reduce'], 'hierarchical': ['all_reduce'],
              'hierarchical-all-to-all': ['all_to_all'], 'chain': ['broadcast', 'reduce'],
              None: ['all_gather', 'reduce_scatter', 'all_to_all']}
ALL_OF_A_MEMBER = ('all_reduce', 'broadcast', 'reduce')


def times(node, devices, nodes, kind, algorithm):
    """The times of some sizes; None where the algorithm does not serve so many ranks."""
    bytes_ = 4096 * (1 if kind in ALL_OF_A_MEMBER else devices * nodes)
    words = ['--kind', kind, '-b', str(bytes_), '-e', str(bytes_ * 64 ** 3), '-f', '64'] + (['--algorithm', algorithm] if algorithm else [])
    table = answer('collective', json.dumps({'node': node, 'nodes': nodes}), *words)
    return [row['time_s'] for row in table['rows']] if isinstance(table, dict) else None


for node, devices in {'dgx-h100': 8, 'p5.48xlarge': 8, 'gh200-quad': 4, 'p3.16xlarge': 8}.items():
    for algorithm, kinds in ALGORITHMS.items():
        for kind in kinds:
            rows = [found for nodes in (1, 2, 3, 4, 8, 16, 32) if (found := times(node, devices, nodes, kind, algorithm))]
            falls = [pair for few, many in zip(rows, rows[1:]) for pair in zip(few, many) if pair[1] < pair[0] * (1 - 1e-9)]
            ok(len(rows) > 2 and not falls, f'{node}: {kind} by {algorithm or "NCCL"} is never faster on more nodes', falls or rows)


# As many ranks on more nodes are never faster: within a node bytes have the wider links and the shorter ways.
def times_of_ranks(node, ranks, nodes, kind):
    table = answer('collective', json.dumps({'node': node, 'nodes': nodes, 'devices': ranks}), '--kind', kind, '-b', '4096', '-e', '256M', '-f', '8')
    return [row['time_s'] for row in table['rows']] if isinstance(table, dict) else table


for node, ranks in {'dgx-1-p100': 8, 'gh200-quad': 4, 'h800': 8, 'dgx-h100': 8, 'dgx-a100-80g': 8, 'dgx-b200': 8, 'p3.16xlarge': 8,
                    'gb200-nvl72': 72, 'gb300-nvl72': 64, 'mi300x': 8}.items():
    for kind in ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce'):
        one, two = times_of_ranks(node, ranks, 1, kind), times_of_ranks(node, ranks, 2, kind)
        ok(isinstance(one, list) and isinstance(two, list) and all(few <= many * (1 + 1e-9) for few, many in zip(one, two)),
           f'{node}: {kind} of {ranks} ranks is never faster on two nodes than on one', (one, two))


# A larger buffer is never faster. Sizes lie between powers of two, too, where NCCL takes a channel more or another protocol.
def by_size(node, nodes, kind):
    found = []
    for step in (4, 5, 6, 7):
        table = answer('collective', json.dumps({'node': node, 'nodes': nodes}), '--kind', kind, '-b', str(256 * step), '-e', '2G', '-f', '2')
        if not isinstance(table, dict):
            return table
        found += [(row['bytes'], row['time_s']) for row in table['rows']]
    return sorted(found)


for node in ('dgx-1-p100', 'dgx-a100-80g', 'dgx-h100', 'dgx-b200', 'h800', 'gh200-quad', 'gb200-nvl72', 'p3.16xlarge', 'p4d.24xlarge',
             'p5.48xlarge', 'a3-mega', 'mi300x'):
    for nodes in (1, 2, 8, 64):
        wrong = {}
        for kind in ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce'):
            curve = by_size(node, nodes, kind)
            falls = [pair for pair in zip(curve, curve[1:]) if pair[1][1] < pair[0][1] * (1 - 1e-9)] if isinstance(curve, list) else curve
            if falls:
                wrong[kind] = falls[:2]
        ok(not wrong, f'{node} x {nodes}: a larger buffer is never faster', wrong)


# As many bytes for each pair take longer among more ranks: each of them has one more message to send.
for node in ('dgx-a100-80g', 'dgx-h100', 'gh200-quad', 'p5.48xlarge'):
    spans = []
    for nodes in (1, 2, 4, 16, 64, 256):
        ranks = nodes * (4 if node == 'gh200-quad' else 8)
        table = answer('collective', json.dumps({'node': node, 'nodes': nodes}), '--kind', 'all_to_all', '-b', str(1024 * ranks), '-e', str(1024 * ranks))
        spans.append(table['rows'][0]['time_s'] if isinstance(table, dict) else table)
    grows = not any(isinstance(one, str) for one in spans) and all(few < many for few, many in zip(spans, spans[1:]))
    # From 512 to 2,048 ranks a sender has four times as many messages, of which it posts one after the other.
    ok(grows and spans[-1] > 2 * spans[-2], f'{node}: a page for each pair takes longer among more ranks, and by message among many', spans)


# Experts that lie on more nodes exchange no faster, whoever sends; a token that crosses once is no slower than every copy.
def exchange(nodes, dispatch):
    job = {'model': {'transformer': {'layers': 2, 'hidden': 2048, 'heads': 16, 'ffn': 4096, 'vocabulary': 1024, 'gated': True,
                                     'experts': {'count': 64, 'active': 8, 'ffn': 1024}}},
           'cluster': {'node': 'dgx-h100', 'nodes': nodes, 'devices': 8}, 'parallel': {'expert': 8}, 'schedule': '1f1b',
           'batch': {'global': 8, 'micro': 1, 'sequence': 4096}, 'dispatch': dispatch}
    result = run(job)
    return result['communication']['expert']['time_s'] if isinstance(result, dict) else result


for dispatch in ({'kernels': 'deepep'}, {'kernels': 'hybridep'}, {'kernels': 'deepep-low-latency', 'send': 'each-copy'}, 'each-copy'):
    spans = [exchange(nodes, dispatch) for nodes in (1, 2, 4, 8)]
    ok(all(isinstance(one, float) for one in spans) and spans == sorted(spans), f'{dispatch}: experts on more nodes exchange no faster', spans)
spans = [[exchange(nodes, dispatch) for dispatch in ({'kernels': 'deepep'}, {'kernels': 'deepep-low-latency', 'send': 'each-copy'})]
         for nodes in (1, 2, 4, 8)]
ok(all(once <= copies for once, copies in spans), 'a token that goes once is sent no slower than all its copies', spans)
wrong = exchange(1, {'kernels': 'deepep', 'send': 'each-copy'})
ok(isinstance(wrong, str) and 'send must be once-a-node' in wrong, 'kernels that send once a node are refused for every copy', wrong)


# One more spine is never slower, where bytes are spread over all.
def leaves(spines, nodes=4):
    """Four nodes, each with a switch of its own, which reaches every one of the spines."""
    link = {'latency': '1 us', 'bandwidth': '10 GB/s'}
    ends = [{'between': [f'node {node}', f'switch {spine}'], 'link': link} for node in range(nodes) for spine in range(spines)]
    return {'node': 'dgx-a100-80g', 'nodes': nodes, 'fabric': {'kind': 'graph', 'links': ends}}


TRAFFIC = [{'from': sender, 'to': (sender + 8) % 32, 'bytes': 1000000 * (1 + sender)} for sender in range(32)]
JOB = {'model': {'transformer': {'layers': 4, 'hidden': 2048, 'heads': 16, 'ffn': 8192, 'vocabulary': 1024}},
       'batch': {'global': 32, 'micro': 1, 'sequence': 1024}, 'schedule': '1f1b'}
for network in ({'flow': {'routing': 'spray'}}, {'packet': {'spray': True, 'seeds': 1}}):
    ends = [run({'cluster': leaves(spines), 'traffic': TRAFFIC, 'network': network}) for spines in (1, 2, 3, 4)]
    wrong = [one for one in ends if isinstance(one, str)]
    spans = [] if wrong else [one['makespan_s'] for one in ends]
    # Drawn packets may meet once more by chance.
    most = 1 if 'flow' in network else 1.02
    ok(not wrong and all(more <= most * fewer for fewer, more in zip(spans, spans[1:])), f'{network}: one more spine is never slower',
       wrong or spans)
jobs = [run({**JOB, 'cluster': leaves(spines), 'parallel': parallel, 'network': {'flow': {'routing': 'spray'}}})
        for parallel in ({'tensor': 8, 'data': 4}, {'tensor': 4, 'pipeline': 2}) for spines in (1, 2, 3, 4)]
if any(isinstance(one, str) for one in jobs):
    ok(False, 'jobs over spines run', [one for one in jobs if isinstance(one, str)])
else:
    spans = [one['iteration_time_s'] for one in jobs]
    ok(all(more <= fewer * (1 + 1e-9) for half in (spans[:4], spans[4:]) for fewer, more in zip(half, half[1:])),
       'one more spine is never slower for a job', spans)


# Who is late lets others through: two messages of 100 us each share a port, and a third one follows the second.
def third(late):
    flows = [{'from': 8, 'to': 0, 'bytes': '1 MB', 'start': late}, {'from': 16, 'to': 0, 'bytes': '1 MB', 'name': 'second'},
             {'from': 0, 'to': 24, 'bytes': '1 MB', 'after': ['second']}]
    cluster = {'node': 'dgx-a100-80g', 'nodes': 4, 'fabric': {'kind': 'star', 'link': {'bandwidth': '10 GB/s', 'latency': '0 s'}, 'nics': 1}}
    return run({'cluster': cluster, 'traffic': flows, 'network': 'flow'})


both = [third(late) for late in ('0 s', '50 us')]
if any(isinstance(one, str) for one in both):
    ok(False, 'messages after each other run', both)
else:
    spans = [one['flows'][2]['end_s'] for one in both]
    ok(abs(spans[0] - spans[1] - 50e-6) < 1e-9, 'a message 50 us late lets the other end 50 us earlier', spans)


# What is placed alike takes as long: every node sends as many bytes as far as all others do.
PLACES = {'star': {'kind': 'star', 'link': 'hdr'}, 'fat-tree': {'kind': 'fat-tree', 'link': 'hdr', 'nics': 8},
          'torus': {'kind': 'torus', 'dims': [4, 4], 'link': {'bandwidth': '10 GB/s', 'latency': '1 us'}}}
for name, fabric in PLACES.items():
    cluster = {'node': 'dgx-a100-80g', 'nodes': 16, 'fabric': fabric}
    for network in ('alpha-beta', 'flow', 'packet'):
        shifted = run({'cluster': cluster, 'network': network,
                       'traffic': [{'from': sender, 'to': (sender + 8) % 128, 'bytes': '1 MB'} for sender in range(128)]})
        if isinstance(shifted, str):
            ok(False, f'{name}, {network}: a shift runs', shifted)
            continue
        # The rings of a torus are numbered along one dimension: each fourth node's next is a row further. Devices of a
        # node may share its port, where packets queue in some order: nodes are alike.
        ends = [flow['end_s'] for flow in shifted['flows']]
        kinds = {tuple(sorted(round(end, 12) for end in ends[8 * node:8 * node + 8]))
                 for node in range(16) if name != 'torus' or node % 4 != 3}
        ok(len(kinds) == 1, f'{name}, {network}: nodes that are placed alike end at once', sorted(kinds))
    there = run({**JOB, 'cluster': cluster, 'batch': {'global': 128, 'micro': 1, 'sequence': 1024}, 'parallel': {'tensor': 8, 'data': 16, 'zero': 1}})
    back = run({**JOB, 'cluster': cluster, 'batch': {'global': 128, 'micro': 1, 'sequence': 1024}, 'parallel': {'tensor': 8, 'data': 16, 'zero': 1},
                'placement': list(range(127, -1, -1))})
    if isinstance(there, str) or isinstance(back, str):
        ok(False, f'{name}: a job runs in both orders', (there, back))
        continue
    ok(abs(there['iteration_time_s'] / back['iteration_time_s'] - 1) < 1e-9, f'{name}: the order of nodes changes no job that uses all',
       (there['iteration_time_s'], back['iteration_time_s']))


# More oversubscription is never faster, where leaves have the same nodes. Without `switch_ports` they do not: with
# fewer ports up a leaf has more of them down, and fewer messages leave it.
PORTS_OF_EIGHT_DOWN = {1: 16, 1.5: 14, 2: 12, 4: 10}  # floor(k o / (1 + o)) = 8
COMMON = {'batch': {'global': 256, 'micro': 1, 'sequence': 4096}, 'precision': 'bf16'}
OVERSUBSCRIBED = {
    '1F1B': {**COMMON, 'model': 'llama-3-70b', 'parallel': {'tensor': 8, 'pipeline': 4, 'sequence': True, 'zero': 1}, 'schedule': '1f1b'},
    'weights cut over replicas': {**COMMON, 'model': 'llama-3-8b', 'parallel': {'zero': 3}, 'schedule': '1f1b', 'recompute': 'full'},
    'interleaved rendezvous': {**COMMON, 'model': 'gpt3-175b', 'parallel': {'tensor': 8, 'pipeline': 8}, 'precision': 'fp16',
                               'schedule': {'name': 'interleaved-1f1b', 'virtual': 2}, 'overlap': {'p2p': 'rendezvous'}},
    'experts': {**COMMON, 'model': 'deepseek-v2-lite', 'parallel': {'expert': 32, 'zero': 1}, 'schedule': '1f1b'},
    'experts in a pipeline': {**COMMON, 'model': 'deepseek-v2-lite', 'parallel': {'pipeline': 4, 'expert': 16, 'zero': 1},
                              'schedule': 'zb-h1', 'partition': 'balanced'},
}


def oversubscribed(job, node, nics, ratio):
    fabric = {'kind': 'fat-tree', 'link': 'hdr', 'nics': nics, 'oversubscription': ratio, 'switch_ports': PORTS_OF_EIGHT_DOWN[ratio]}
    result = run({**job, 'cluster': {'node': node, 'nodes': 32, 'fabric': fabric}})
    return result['iteration_time_s'] if isinstance(result, dict) else result


for name, job in OVERSUBSCRIBED.items():
    for node, nics in (('dgx-h100', 1), ('dgx-a100-80g', 2)):
        spans = [oversubscribed(job, node, nics, ratio) for ratio in PORTS_OF_EIGHT_DOWN]
        ok(all(isinstance(one, float) for one in spans) and all(more >= fewer * (1 - 1e-9) for fewer, more in zip(spans, spans[1:])),
           f'{name} on {nics} NIC of {node}: more oversubscription is never faster', spans)

done()
