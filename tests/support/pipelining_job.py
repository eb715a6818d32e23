"""Makes the traces that PyTorch's profiler writes of a job of torch.distributed.pipelining.

Ranges, calls and kernels have the names of schedules.py and of NCCL's in Kineto. Of schedules with several stages
a rank each action has a range, as since PyTorch 2.9; GPipe has those of its passes. A receive is posted before the
pass that needs it, a message moves on a stream of its own, and what a pass needs its device waits for. Times are
microseconds. `slow(rank)` is how many times as long the kernels of a rank take."""
import gzip
import json
import os
import subprocess
import tempfile

LAUNCH, LOSS, KERNEL, UPDATE = 5, 20, 100, 500
PARTS = {'F': ('gemm', 'flash', 'elementwise'), 'B': ('gemm_backward',) * 2 + ('flash_backward',) * 2 + ('elementwise_backward',),
         'I': ('gemm_backward', 'flash_backward', 'elementwise_backward'), 'W': ('gemm_wgrad',) * 2}


class PipeliningJob:
    def __init__(self, orders, rank_of_stage, layers=4, message=30, steps=3, ranges=True, gpipe=False):
        """`orders`: by rank, the actions of a step as (stage, part, micro-batch)."""
        self.orders, self.rank_of, self.layers, self.message, self.steps = orders, rank_of_stage, layers, message, steps
        self.stages, self.ranges, self.gpipe = len(rank_of_stage), ranges, gpipe
        self.slow = lambda rank: 1

    def run(self):
        ranks = self.ranks = [Rank(self, number) for number in range(len(self.orders))]
        self.sent = {}  # by message, when it has come
        for step in range(self.steps):
            places = [0] * len(ranks)
            for rank in ranks:
                rank.begin()
            while any(place < len(rank.order) for place, rank in zip(places, ranks)):
                before = list(places)
                for rank in ranks:
                    while places[rank.number] < len(rank.order) and rank.can_run(step, rank.order[places[rank.number]]):
                        rank.act(step, *rank.order[places[rank.number]])
                        places[rank.number] += 1
                assert places != before, 'these orders wait for each other'
            for rank in ranks:
                rank.finish(step)
        return self

    def step_s(self):
        return sum(max(rank.marks[step] for rank in self.ranks) for step in range(self.steps)) / self.steps * 1e-6

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for rank in self.ranks:
            document = {'schemaVersion': 1, 'distributedInfo': {'backend': 'nccl', 'rank': rank.number, 'world_size': len(self.ranks)},
                        'traceEvents': sorted(rank.events, key=lambda event: event['ts'])}
            with gzip.open(os.path.join(folder, f'rank{rank.number}.json.gz'), 'wt', compresslevel=1) as file:
                json.dump(document, file)
        return folder


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.order = job, number, job.orders[number]
        self.host = self.device = 0.0
        self.calls, self.events, self.marks = 0, [], []

    def begin(self):
        self.began = self.host

    def event(self, category, name, start, length, thread, **args):
        self.events.append({'ph': 'X', 'cat': category, 'name': name, 'pid': self.number, 'tid': thread, 'ts': round(start, 3), 'dur': round(length, 3), 'args': args})

    def range(self, name, begin):
        if self.job.ranges:
            self.event('user_annotation', name, begin, self.host - begin, 1)

    def launch(self, thread, operation=None):
        self.calls += 1
        if operation:
            self.event('cpu_op', operation, self.host - 0.5, LAUNCH, thread)
        self.event('cuda_runtime', 'cudaLaunchKernel', self.host, LAUNCH - 2, thread, correlation=self.calls)
        self.host += LAUNCH
        return self.calls

    def source(self, stage, part):
        """The stage whose output the pass needs; None: none."""
        other = stage + (-1 if part == 'F' else 1)
        return other if part != 'W' and 0 <= other < self.job.stages else None

    def can_run(self, step, action):
        stage, part, micro_batch = action
        other = self.source(stage, part)
        return other is None or self.job.rank_of[other] == self.number or (step, stage, part == 'F', micro_batch) in self.job.sent

    def move(self, name, peer, start, end, action):
        """A message: a call that names it, and the kernel of its batch."""
        began, group = self.host, list(range(len(self.job.orders)))
        self.event('cpu_op', 'record_param_comms', self.host, 2, 1, **{
            'Collective name': name, 'In msg nelems': 1 << 20, 'Out msg nelems': 1 << 20, 'dtype': 'BFloat16', 'Group size': len(group),
            'Process Group Name': '1', 'Process Group Description': 'mesh_pp', 'Process Group Ranks': str(group),
            'Dst Rank' if name == 'send' else 'Src Rank': peer})
        self.host += 3
        call = self.launch(1, 'c10d::end_coalescing')
        end += max(0, self.host - start) if name == 'send' else 0
        start = max(start, self.host)
        stream = (20 if name == 'send' else 40) + peer
        self.event('kernel', 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)', start, max(end - start, 1), stream, stream=stream, correlation=call)
        if not self.job.gpipe:
            self.range(f'PP:{action}', began)
        return start

    def act(self, step, stage, part, micro_batch):
        other, come = self.source(stage, part), 0
        direction = 'F' if part == 'F' else 'B'
        began = self.host
        if other is not None and self.job.rank_of[other] != self.number:
            come = self.job.sent[step, stage, part == 'F', micro_batch]
            self.move('recv', self.job.rank_of[other], self.host, come, f'{stage}RECV_{direction}{micro_batch}')
        if not self.job.gpipe:
            began = self.host
        self.device = max(self.device, come)
        for _ in range(self.job.layers):
            for kernel in PARTS[part]:
                self.compute(kernel, part)
        done = self.device
        if not self.job.gpipe:
            self.range(f'PP:{stage}{part}{micro_batch}', began)
        if part != 'W':
            self.send(step, stage, direction, micro_batch, done)
        if self.job.gpipe:
            self.range(f"{'Forward' if part == 'F' else 'Backward'} {micro_batch}", began)

    def send(self, step, stage, direction, micro_batch, done):
        other = stage + (1 if direction == 'F' else -1)
        if not 0 <= other < self.job.stages or self.job.rank_of[other] == self.number:
            return
        start = self.move('send', self.job.rank_of[other], done, done + self.job.message, f'{stage}SEND_{direction}{micro_batch}')
        self.job.sent[step, other, direction == 'F', micro_batch] = max(start, done) + self.job.message

    def compute(self, name, part, length=KERNEL):
        back = part in ('B', 'I', 'W')
        call = self.launch(2 if back else 1, 'autograd::engine::evaluate_function: MmBackward0' if back else 'aten::mm')
        start = max(self.host + 1, self.device)
        length *= self.job.slow(self.number)
        self.event('kernel', name, start, length, 7, stream=7, correlation=call)
        self.device = start + length

    def finish(self, step):
        began = self.host
        self.compute('multi_tensor_apply_kernel<FusedAdamMathFunctor>', 'F', UPDATE)
        self.event('user_annotation', 'Optimizer.step#AdamW.step', began, self.host - began, 1)
        self.host = max(self.host, self.device) + LOSS
        self.event('user_annotation', f'ProfilerStep#{5 + step}', self.began, self.host - self.began, 1)
        self.marks.append(self.host - self.began)


def gpipe(ranks, micro_batches):
    return [[(rank, 'F', one) for one in range(micro_batches)] + [(rank, 'B', one) for one in range(micro_batches)] for rank in range(ranks)], list(range(ranks))


def interleaved(ranks, chunks, micro_batches, more=0):
    """Megatron-LM's order, which ScheduleInterleaved1F1B has where micro-batches are a multiple of the ranks; `more`
    forward passes are ahead of it."""
    order = [(one // ranks % chunks, one // (ranks * chunks) * ranks + one % ranks) for one in range(micro_batches * chunks)]
    orders = []
    for rank in range(ranks):
        ahead = min(micro_batches * chunks, (chunks - 1) * ranks + 2 * (ranks - rank - 1) + more)
        forwards = [(chunk * ranks + rank, 'F', batch) for chunk, batch in order]
        backwards = [((chunks - 1 - chunk) * ranks + rank, 'B', batch) for chunk, batch in order]
        mixed = forwards[:ahead]
        for forward, backward in zip(forwards[ahead:], backwards):
            mixed += [forward, backward]
        orders.append(mixed + backwards[len(forwards) - ahead:])
    return orders, [stage % ranks for stage in range(ranks * chunks)]


def zb_v(program, ranks, micro_batches):
    """The order of passes of a simulated step, in which a forward takes as long as either half of a backward."""
    experiment = {'model': {'synthetic': {'devices': ranks, 'microbatches': micro_batches, 'forward': '10 ms', 'backward': '20 ms', 'activation': '1 MiB', 'boundary': '1 KB'}},
                  'cluster': {'devices': ranks, 'link': {'latency': '1 us', 'bandwidth': '250 GB/s'}}, 'schedule': 'zb-v'}
    trace = os.path.join(tempfile.mkdtemp(), 'order.json')
    subprocess.run([program, 'simulate', '-', '--trace', trace, '-q'], input=json.dumps(experiment), text=True, check=True)
    with open(trace) as file:
        events = json.load(file)['traceEvents']
    parts = {'forward': 'F', 'input_gradient': 'I', 'weight_gradient': 'W', 'backward': 'B'}
    orders = [[] for _ in range(ranks)]
    for event in sorted((event for event in events if event.get('cat') in parts), key=lambda event: event['ts']):
        orders[event['pid'] - 1].append((event['args']['stage'], parts[event['cat']], event['args']['micro_batch']))
    return orders, [min(stage, 2 * ranks - 1 - stage) for stage in range(2 * ranks)]
