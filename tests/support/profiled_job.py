"""Makes the PyTorch traces of a job whose devices, hosts and links obey rules of its own.

A rank's host launches kernels one after another. Its device runs them in order on one stream, messages and
sums of gradients on others. Passes run as in 1F1B. Between two passes a rank sends what it computed and
receives what it computes next, and its device waits for both. In the last backward pass each bucket is
summed as soon as its gradients are there; the update waits for all sums. A step ends when its host has seen
its loss. Times are microseconds.

`batched`: what a rank sends and receives between two passes is one kernel, as of batch_isend_irecv. The calls
name the messages; the kernel is launched after them and names none.

`sharded`: weights are cut over the replicas, as by FSDP. Each layer is gathered before it computes, one layer
ahead, and its gradients are summed after its backward pass. `length(rank, step, micro_batch)` is how many
times as long the micro-batch takes."""
import gzip
import json
import os

LAUNCH, LOSS = 6, 20
KERNELS = (('gemm', 400), ('flash', 300), ('elementwise', 100))  # of a layer, forward; backward takes twice as long
BUCKETS = 4


class Job:
    def __init__(self, pipeline=1, data=1, micro_batches=2, layers=4, steps=3, message=200, summing=3000, update=1000):
        self.pipeline, self.data, self.micro_batches, self.layers, self.steps = pipeline, data, micro_batches, layers, steps
        self.message, self.summing, self.update = message, summing, update
        self.slow = lambda rank: 1            # of its kernels
        self.link = lambda source, target: 1  # of messages between two stages
        self.sums = lambda stage: 1           # of sums of gradients
        self.loading = lambda rank, step: 0   # before the first launch of a step
        self.stall = lambda rank, step, micro_batch: 0  # before the forward pass, when the device has nothing to do
        self.jitter = lambda rank: 1
        self.length = lambda rank, step, micro_batch: 1
        self.batched = self.sharded = False
        self.gathering = 400                  # the weights of a layer

    def run(self):
        """Runs all ranks; those that meet go on when the last has come."""
        self.ranks = [Rank(self, number) for number in range(self.pipeline * self.data)]
        programs = {rank: rank.program() for rank in self.ranks}
        asked, waiting = {}, {rank: [] for rank in self.ranks}
        answers = dict.fromkeys(self.ranks)
        while programs:
            for rank, program in list(programs.items()):
                if any(len(asked[key]) < members for key, members, _ in waiting[rank]):
                    continue
                try:
                    waiting[rank] = program.send(answers[rank] and answers[rank]())
                except StopIteration:
                    del programs[rank]
                    continue
                for key, _, ready in waiting[rank]:
                    asked.setdefault(key, []).append(ready)
                answers[rank] = lambda wants=waiting[rank]: [max(asked[key]) for key, _, _ in wants]
        return self

    def step_s(self):
        """The mean step: of each the longest mark of a rank."""
        return sum(max(rank.marks[step] for rank in self.ranks) for step in range(self.steps)) / self.steps * 1e-6

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for rank in self.ranks:
            document = {'schemaVersion': 1, 'distributedInfo': {'rank': rank.number, 'world_size': len(self.ranks)},
                        'traceEvents': sorted(rank.events, key=lambda event: event['ts'])}
            with gzip.open(os.path.join(folder, f'rank{rank.number}.json.gz'), 'wt', compresslevel=1) as file:
                json.dump(document, file)
        return folder


class Rank:
    def __init__(self, job, number):
        self.job, self.number = job, number
        self.stage, self.replica = divmod(number, job.data)
        self.host = self.device = 0.0
        self.calls = 0
        self.stream = 0.0  # the collectives of sharded weights, in order
        self.factor = 1    # of the micro-batch
        self.events, self.marks = [], []

    def event(self, category, name, start, length, thread, **args):
        on_device = category == 'kernel'
        self.events.append({'ph': 'X', 'cat': category, 'name': name, 'pid': self.number if on_device else 1000 + self.number,
                            'tid': thread, 'ts': round(start, 3), 'dur': round(length, 3), 'args': args})

    def call(self, operation, thread, **args):
        """The host asks for something on the device; returns when."""
        self.calls += 1
        at, self.host = self.host, self.host + LAUNCH
        self.event('cpu_op', operation, at - 1, LAUNCH + 1, thread, **args)
        self.event('cuda_runtime', 'cudaLaunchKernel', at, LAUNCH - 1, thread, correlation=self.calls)
        return self.calls

    def compute(self, name, length, thread, operation):
        call = self.call(operation, thread)
        start = max(self.host + 1, self.device)
        length *= self.job.slow(self.number) * self.job.jitter(self.number) * self.factor
        self.event('kernel', name, start, length, 7, stream=7, correlation=call)
        self.device = start + length

    def communicate(self, name, members, description, stream, bytes_, thread=1):
        """The call; its kernel is written when its end is known."""
        args = {'Collective name': name, 'In msg nelems': bytes_ // 2, 'Out msg nelems': bytes_ // 2, 'dtype': 'BFloat16',
                'Group size': len(members), 'Process Group Name': f'{description[0]}{members[0]}',
                'Process Group Description': description, 'Process Group Ranks': str(members)}
        call = self.call('record_param_comms', thread, **args)
        kernel = 'ncclDevKernel_SendRecv' if name in ('send', 'recv') else 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'
        return max(self.host + 1, self.device), lambda start, end: self.event('kernel', kernel, start, end - start, stream, stream=stream, correlation=call, **args)

    def forward(self, micro_batch, step):
        self.wait_for_host(step, micro_batch)
        for _ in range(self.job.layers):
            self.layer(1)

    def wait_for_host(self, step, micro_batch):
        self.factor = self.job.length(self.number, step, micro_batch)
        if stall := self.job.stall(self.number, step, micro_batch):
            self.host = max(self.host, self.device) + stall

    def layer(self, thread):
        """The forward pass of a layer on thread 1, its backward pass on thread 2."""
        back = thread == 2
        for name, length in KERNELS:
            self.compute(name + '_backward' * back, 2 * length if back else length, thread, 'autograd::engine::evaluate_function: MmBackward0' if back else 'aten::mm')

    def backward(self, last):
        """Returns the buckets, by when they are ready."""
        buckets, members = [], [self.stage * self.job.data + one for one in range(self.job.data)]
        for layer in range(self.job.layers):
            self.layer(2)
            if last and self.job.data > 1 and layer % (self.job.layers // BUCKETS) == 0:
                buckets.append(self.communicate('allreduce', members, 'DATA_PARALLEL_GROUP', 20, 100_000_000, 2))
        return buckets

    def order(self):
        """The passes of a step, by 1F1B."""
        forwards, backwards, ahead = 0, 0, min(self.job.micro_batches, self.job.pipeline - self.stage)
        while backwards < self.job.micro_batches:
            if forwards < min(self.job.micro_batches, backwards + ahead):
                yield 'forward', forwards
                forwards += 1
            else:
                yield 'backward', backwards
                backwards += 1

    def collective(self, key, name, length, after, thread):
        """A collective of the replicas on the stream of sharded weights; returns when it ends."""
        members = [self.stage * self.job.data + one for one in range(self.job.data)]
        _, put = self.communicate(name, members, 'mesh_fsdp', 20, 400_000_000, thread)
        ready = max(self.host + 1, self.stream, after)
        latest, = yield [(key, self.job.data, ready)]
        self.stream = latest + length
        put(ready, self.stream)
        return self.stream

    def sharded_pass(self, step, micro_batch, back):
        """Weights are gathered one layer ahead: what the layer before the last held is free by then."""
        thread, layers = (2, range(self.job.layers - 1, -1, -1)) if back else (1, range(self.job.layers))
        gather = lambda layer: self.collective(('gather', step, micro_batch, back, layer), '_allgather_base', self.job.gathering, self.device, thread)
        self.factor = self.job.length(self.number, step, micro_batch)
        if not back:
            self.wait_for_host(step, micro_batch)
        ahead = yield from gather(layers[0])
        for place, layer in enumerate(layers):
            there, ahead = ahead, None
            if place + 1 < len(layers):
                ahead = yield from gather(layers[place + 1])
            self.device = max(self.device, there)
            self.layer(thread)
            if back:
                yield from self.collective(('sum', step, micro_batch, layer), '_reduce_scatter_base', self.job.gathering, self.device, thread)

    def sharded_step(self, step):
        for micro_batch in range(self.job.micro_batches):
            for back in (False, True):
                yield from self.sharded_pass(step, micro_batch, back)
        self.device = max(self.device, self.stream)

    def messages(self, before, after, step):
        """What is sent after one pass and received before another, either perhaps None."""
        group = [stage * self.job.data + self.replica for stage in range(self.job.pipeline)]
        if self.job.batched:
            yield from self.batch(before, after, step, group)
            return
        wants, write = [], []
        for one, sends in ((before, True), (after, False)):
            to_next = one and (one[0] == 'forward') == sends
            other = self.stage + (1 if to_next else -1)
            if one is None or not 0 <= other < self.job.pipeline:
                continue
            ends = (self.stage, other) if sends else (other, self.stage)
            ready, put = self.communicate('send' if sends else 'recv', group, 'PIPELINE_MODEL_PARALLEL_GROUP', 31 if sends else 32, 16_777_216)
            wants.append((('message', step, self.replica, ends, one), 2, ready))
            write.append((put, self.job.message * self.job.link(*ends)))
        met = yield wants
        for (_, _, ready), (put, length), latest in zip(wants, write, met):
            put(ready, latest + length)
            self.device = max(self.device, latest + length)

    def batch(self, before, after, step, group):
        """The messages of one kernel, which lasts until the last of them has come."""
        wants, lengths = [], []
        for one, sends in ((before, True), (after, False)):
            to_next = one and (one[0] == 'forward') == sends
            other = self.stage + (1 if to_next else -1)
            if one is None or not 0 <= other < self.job.pipeline:
                continue
            self.event('cpu_op', 'record_param_comms', self.host, 3, 1, **{
                'Collective name': 'send' if sends else 'recv', 'In msg nelems': 8_388_608, 'Out msg nelems': 8_388_608, 'dtype': 'BFloat16',
                'Group size': len(group), 'Process Group Name': 'P' + str(group[0]), 'Process Group Description': 'PIPELINE_MODEL_PARALLEL_GROUP',
                'Process Group Ranks': str(group), 'Dst Rank' if sends else 'Src Rank': group[other]})
            self.host += 4
            ends = (self.stage, other) if sends else (other, self.stage)
            wants.append(('message', step, self.replica, ends, one))
            lengths.append(self.job.message * self.job.link(*ends))
        if not wants:
            return
        call = self.call('c10d::end_coalescing', 1)
        ready = max(self.host + 1, self.device)
        met = yield [(key, 2, ready) for key in wants]
        self.device = max(latest + length for latest, length in zip(met, lengths))
        self.event('kernel', 'ncclDevKernel_SendRecv', ready, self.device - ready, 31, stream=31, correlation=call)

    def sum_up(self, buckets, step):
        met = yield [(('sum', step, self.stage, place), self.job.data, ready) for place, (ready, _) in enumerate(buckets)]
        end = 0
        for (ready, put), latest in zip(buckets, met):
            start, end = max(ready, end), max(latest, end) + self.job.summing / BUCKETS * self.job.sums(self.stage)
            put(start, end)
        self.device = max(self.device, end)

    def program(self):
        yield []
        for step in range(self.job.steps):
            begin = self.host
            self.host += self.job.loading(self.number, step)
            before, buckets = None, []
            if self.job.sharded:
                yield from self.sharded_step(step)
            for one in () if self.job.sharded else self.order():
                yield from self.messages(before, one, step)
                if one[0] == 'forward':
                    self.forward(one[1], step)
                else:
                    buckets = self.backward(one[1] == self.job.micro_batches - 1)
                before = one
            yield from self.messages(before, None, step)
            yield from self.sum_up(buckets, step)
            self.compute('multi_tensor_apply_kernel<AdamFunctor>', self.job.update, 1, 'Optimizer.step#AdamW.step')
            self.host = max(self.host, self.device) + LOSS
            self.event('user_annotation', f'ProfilerStep#{10 + step}', begin, self.host - begin, 1)
            self.marks.append(self.host - begin)
