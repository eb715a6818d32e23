"""Runs a trace of 'simulate --trace' again with other lengths of its passes, by rules of its own.

Passes of a track run one after another in the order of the trace, each after the message that brings its
input. A message leaves when its pass has ended and takes as long as it did. Before an update the replicas of
a stage sum their gradients, from the end of their last pass on; the trace that is written has these sums.
The passes after an update wait for it and for what their host does then."""
import json

PASSES = {'forward', 'backward', 'input_gradient', 'weight_gradient'}


def picoseconds(microseconds):
    return round(microseconds * 1e6)


class Pass:
    def __init__(self, event, place):
        args = event['args']
        self.event, self.kind = event, event['cat']
        self.stage, self.micro_batch = args['stage'], (args.get('micro_batch', -1), args.get('slice', 0))
        self.rank, self.data = place
        self.lane = (event['pid'], event['tid'])
        self.start, self.length = picoseconds(event['ts']), picoseconds(event['dur'])
        self.iteration = 0
        self.inputs = []  # messages
        self.late = 0  # its host starts it so much later
        self.factor, self.extra = 1, 0
        self.pause = 0  # of an update: what its host does after it
        self.sum_factor = 1  # of an update: how many times as long its sum takes

    @property
    def goes_back(self):
        return self.kind in ('backward', 'input_gradient')


class Run:
    """`sum_us`: the time of a sum of gradients."""
    def __init__(self, file, sum_us=0):
        self.sum_ps = picoseconds(sum_us)
        with open(file, encoding='utf-8') as text:
            self.document = json.load(text)
        events = self.document['traceEvents']
        places = {e['pid']: (e['args']['pipeline'], e['args']['data']) for e in events if e['ph'] == 'M' and e['name'] == 'process_name'}
        slices = [e for e in events if e['ph'] == 'X']
        self.works = [Pass(e, places[e['pid']]) for e in slices if e['cat'] in PASSES | {'step'}]
        self.works.sort(key=lambda work: (work.start, work.length))
        self.messages = [e for e in slices if e['cat'] == 'pipeline']
        self.message_ps = {id(e): picoseconds(e['dur']) for e in self.messages}
        self.known = all(e['cat'] in PASSES | {'step', 'pipeline'} for e in slices)
        self.number_iterations()
        self.join()

    def number_iterations(self):
        """Micro-batches are numbered through all iterations, which have as many each."""
        numbers = {work.micro_batch[0] for work in self.works if work.kind != 'step'}
        iterations = {work.event['args']['step'] for work in self.works if work.kind == 'step'}
        each = len(numbers) // max(len(iterations), 1)
        for work in self.works:
            work.iteration = work.event['args']['step'] if work.kind == 'step' else work.micro_batch[0] // each

    def join(self):
        """Finds which pass each message comes from and goes to, and passes that feed others at once."""
        named, fed = {}, set()
        for work in self.works:
            if work.kind in ('forward', 'backward', 'input_gradient'):
                named[work.data, work.iteration, work.stage, work.micro_batch, work.goes_back] = work
        by_pass = {}
        for message in self.messages:
            by_pass.setdefault((message['pid'], message['args']['stage'], (message['args']['micro_batch'], message['args'].get('slice', 0)), 'F' not in message['name']), []).append(message)
        self.leaves = {}
        for (data, iteration, stage, micro_batch, back), work in named.items():
            source = named.get((data, iteration, stage + (1 if back else -1), micro_batch, back))
            if source is None and back:
                source = named.get((data, iteration, stage, micro_batch, False))  # the last stage turns around
            if source is None:
                continue
            sent = [m for m in by_pass.get((source.event['pid'], source.stage, micro_batch, back), [])
                    if source.start + source.length <= picoseconds(m['ts']) <= work.start]
            message = sent[0] if sent and source.stage != stage else None
            if message is not None:
                by_pass[source.event['pid'], source.stage, micro_batch, back].remove(message)
                self.leaves[id(message)] = source
            work.inputs.append((source, message))

    def retime(self):
        """Gives all works new starts and ends. Returns when the last one ends."""
        ends, lanes, ready_at, ranks = {}, {}, {}, {}
        waiting = {}
        for work in self.works:
            waiting.setdefault(work.lane, []).append(work)
        done = True
        while done:
            done = False
            for lane, works in waiting.items():
                while works and all(id(source) in ends for source, _ in works[0].inputs) and self.may_run(works[0], ends):
                    work = works.pop(0)
                    start = max(lanes.get(lane, 0), ranks.get((work.rank, work.data), 0))
                    for source, message in work.inputs:
                        start = max(start, ends[id(source)] + (self.message_ps[id(message)] if message else 0))
                    if work.kind == 'step':
                        start = max(start, self.sum_end(work, ends))
                    work.new_start = start + round(work.late)
                    ends[id(work)] = lanes[lane] = work.new_start + round(work.length * work.factor + work.extra)
                    if work.kind == 'step':
                        ranks[work.rank, work.data] = ends[id(work)] + round(work.pause)
                    done = True
        assert not any(waiting.values()), 'the order stands still'
        self.ends = ends
        return max(ends.values())

    def mean_step(self):
        """From the first start to the last end of an iteration: iterations may run into each other."""
        starts, ends = {}, {}
        for work in self.works:
            starts[work.iteration] = min(starts.get(work.iteration, work.new_start), work.new_start)
            ends[work.iteration] = max(ends.get(work.iteration, 0), self.ends[id(work)])
        return sum(ends[one] - starts[one] for one in ends) / len(ends)

    def before(self, update):
        """The passes of all replicas before it."""
        if not hasattr(self, 'by_update'):
            self.by_update = {}
            for one in self.works:
                if one.kind != 'step':
                    self.by_update.setdefault((one.rank, one.iteration), []).append(one)
        return self.by_update.get((update.rank, update.iteration), [])

    def may_run(self, work, ends):
        return work.kind != 'step' or all(id(one) in ends for one in self.before(work))

    def sum_end(self, update, ends):
        return max(ends[id(one)] for one in self.before(update)) + self.sum_length(update)

    def sum_length(self, update):
        """That of all replicas: the slowest of them decides."""
        return round(self.sum_ps * update.sum_factor)

    def sums(self):
        """A sum of gradients for each update."""
        for update in (work for work in self.works if work.kind == 'step') if self.sum_ps else ():
            end, length = self.sum_end(update, self.ends), self.sum_length(update)
            yield {'ph': 'X', 'pid': update.event['pid'], 'tid': 1000000 + update.event['pid'], 'ts': (end - length) * 1e-6, 'dur': length * 1e-6,
                   'cat': 'data', 'name': 'all_reduce', 'args': {'stage': update.stage, 'step': update.event['args']['step']}}

    def write(self, file):
        for work in self.works:
            work.event['ts'], work.event['dur'] = work.new_start * 1e-6, (self.ends[id(work)] - work.new_start) * 1e-6
        for message in self.messages:
            if id(message) in self.leaves:
                message['ts'] = self.ends[id(self.leaves[id(message)])] * 1e-6
            message['dur'] = self.message_ps[id(message)] * 1e-6
        document = self.document | {'traceEvents': self.document['traceEvents'] + list(self.sums())}
        with open(file, 'w', encoding='utf-8') as out:
            json.dump(document, out, separators=(',', ':'))
