"""Every command survives that an allocation, an opening or a write of a file fails once: it ends by
itself with status 0, 1 or 2, says why in one line where it could not do its work, and leaves no file
half written.
usage: faults_test.py PROGRAM LIBRARY. FAULT_SAMPLES is how many calls of a kind fail, each in a run
of its own: the first ones and others spread over the rest; all of them by 0. Prints TAP."""
import os, random, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, library = map(os.path.abspath, sys.argv[1:])
samples = int(os.environ.get('FAULT_SAMPLES', 24))

SMALL = '''model: {transformer: {layers: 4, hidden: 256, heads: 4, ffn: 1024, vocabulary: 1000}}
cluster: {node: dgx-a100-80g, nodes: 1}
parallel: {tensor: 2, pipeline: 2, data: 2}
batch: {global: 16, micro: 2, sequence: 128}
schedule: 1f1b
'''
STUDY = 'experiment: small.yaml\nvary: {schedule: [1f1b, gpipe, zb-h1], parallel.zero: [0, 1]}\n'
RUNS = ('schema: pipewright.measured/1\nruns:\n  - {name: a, group: b, measured: {iteration_time_s: 0.1}, experiment: {'
        + SMALL.strip().replace('\n', ', ') + '}}\n')
JOB = '''pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 \\
  --tensor-model-parallel-size 2 --bf16 --global-batch-size 16 --micro-batch-size 1
'''
# nlohmann::json (3.11) aborts where memory ends between the type and the content of a value that it makes:
# 'operator[]' of a null sets the type first, and the destructor asserts that there is a content. A process
# without memory ends there with nothing half written, which is what is held here.
HALF_MADE_JSON = re.compile(r'm_value\.(object|array|string|binary) != nullptr')
# A command, and the files that it writes.
COMMANDS = [
    (['simulate', 'small.yaml', '--json', 'out.json', '--trace', 'out.trace.json'], ['out.json', 'out.trace.json']),
    (['compare', 'small.yaml', '--html', 'page.html', '--jobs', '2'], ['page.html']),
    (['sweep', 'study.yaml', '--jobs', '2', '--csv', 'rows.csv', '--store', 'runs.db'], ['rows.csv']),
    (['plan', 'small.yaml', '--top', '2'], []),
    (['import', 'job.sh', '-o', 'job.yaml'], ['job.yaml']),
    (['simulate', 'small.yaml', '--html', 'run.html'], ['run.html']),
    (['fit', 'runs.yaml', '-o', 'anchor.yaml'], ['anchor.yaml']),
]


def fresh_folder(folder):
    for name, text in [('small.yaml', SMALL), ('study.yaml', STUDY), ('job.sh', JOB), ('runs.yaml', RUNS)]:
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)


def run(words, folder, kind='', at=0):
    """Runs the command in the folder; returns its status, its errors and the number of calls."""
    counted = os.path.join(folder, 'calls')
    environment = os.environ | {'LD_PRELOAD': library, 'FAULT_KIND': kind, 'FAULT_AT': str(at), 'FAULT_COUNT': counted}
    try:
        ended = subprocess.run([program, *words], cwd=folder, env=environment, text=True, errors='replace',
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, 'it hangs', 0
    calls = int(open(counted).read()) if os.path.exists(counted) else 0
    return ended.returncode, ended.stderr, calls


def contents(folder, names):
    def read(name):
        path = os.path.join(folder, name)
        return open(path, 'rb').read() if os.path.exists(path) else None
    return {name: read(name) for name in names}


def chosen(calls):
    """Which calls fail: the first, and as many drawn from the rest."""
    if samples == 0 or calls <= 2 * samples:
        return list(range(1, calls + 1))
    rest = random.Random(1).sample(range(samples + 1, calls + 1), samples)
    return list(range(1, samples + 1)) + sorted(rest)


def complaint(words, names, kind, at):
    """What is wrong with a run of which one call fails; nothing where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        fresh_folder(folder)
        status, errors, _ = run(words, folder, kind, at)
        ended_by_json = kind == 'allocate' and status == -6 and HALF_MADE_JSON.search(errors)
        if status not in (0, 1, 2) and not ended_by_json:
            return f'{kind} {at}: status {status}: {errors[-300:]}'
        if status != 0 and not errors.strip():
            return f'{kind} {at}: status {status} without a word'
        halves = [name for name, found in contents(folder, names).items() if found is not None and not complete(name, found)]
        return f'{kind} {at}: status {status}, half written: {halves}' if halves else None


def complete(name, found):
    ends = {'.json': (b'}', b']'), '.html': (b'</html>',), '.csv': (b'\n',), '.yaml': (b'\n',)}
    text = found if name.endswith(('.csv', '.yaml')) else found.rstrip()
    return text.endswith(ends[os.path.splitext(name)[1]])


for words, names in COMMANDS:
    for kind in ('allocate', 'open', 'write'):
        with tempfile.TemporaryDirectory() as folder:
            fresh_folder(folder)
            status, errors, calls = run(words, folder, kind)
        ok(status == 0, f'{words[0]} {words[1]} with nothing failing', errors)
        wrong = [said for at in chosen(calls) if (said := complaint(words, names, kind, at))]
        ok(not wrong, f'{words[0]} {words[1]}, one of {calls} calls to {kind} fails', '\n'.join(wrong[:6]) + f'\n{len(wrong)} in all')
done()
