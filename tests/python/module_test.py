"""The Python module does what the program does: results, errors, threads, Ctrl-C, types.
usage: module_test.py PROGRAM FOLDER_OF_THE_PACKAGE. Prints TAP."""
import ast, copy, inspect, json, os, pathlib, pickle, shutil, signal, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, package = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.dirname(package))
import pipewright as pw

os.chdir(tempfile.mkdtemp())
JOB = {'model': {'synthetic': {'devices': 4, 'microbatches': 8, 'forward': '1 ms', 'backward': '2 ms'}},
       'cluster': {'devices': 4, 'link': {'latency': '0 s'}}, 'schedule': '1f1b'}
SMALL = {'model': {'transformer': {'layers': 8, 'hidden': 1024, 'heads': 16, 'kv_heads': 16, 'ffn': 4096,
                                   'vocabulary': 32000}},
         'cluster': {'node': 'dgx-a100-80g', 'nodes': 1}, 'parallel': {'pipeline': 2},
         'batch': {'global': 32, 'sequence': 1024}, 'schedule': '1f1b'}
STUDY = {'experiment': JOB, 'vary': {'model.synthetic.microbatches': [4, 8], 'schedule': ['1f1b', 'gpipe']}}
RUNS = {'schema': 'pipewright.measured/1', 'runs': [
    {'name': name, 'group': 'g', 'source': 'none', 'experiment': SMALL,
     'measured': {'iteration_time_s': seconds}} for name, seconds in (('a', 0.1), ('b', 0.2))]}


def written(name, document):
    with open(name, 'w') as file:
        json.dump(document, file)
    return name


def by_program(*words):
    made = subprocess.run([program, *words, '--json', '-'], text=True, capture_output=True)
    return json.loads(made.stdout)


def lasting(value):
    """What does not differ from run to run, and from where an experiment stands."""
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in ('simulation', 'wall_s', 'search_s')}
    return [lasting(item) for item in value] if isinstance(value, list) else value


def error_of(call, kind=pw.InputError):
    try:
        call()
    except kind as error:
        return error
    return None


# Every function says what its command says.
job, small = written('job.json', JOB), written('small.json', SMALL)
study, runs = written('study.json', STUDY), written('runs.json', RUNS)
for name, made, words in (
        ('simulate', lambda: pw.simulate(JOB), ['simulate', job]),
        ('simulate with options', lambda: pw.simulate(SMALL, no_fold=True, seed=3, if_free=True),
         ['simulate', small, '--no-fold', '--seed', '3', '--if-free']),
        ('set', lambda: pw.simulate(SMALL, set={'parallel.pipeline': 4, 'overlap': {'p2p': 'sender'}}),
         ['simulate', small, '--set', 'parallel.pipeline=4', '--set', 'overlap={p2p: sender}']),
        ('a name', lambda: pw.simulate('example'), ['simulate', 'example']),
        ('compare', lambda: pw.compare(JOB, schedules=['gpipe', {'name': 'interleaved-1f1b', 'virtual': 2}]),
         ['compare', job, '--schedules', '[gpipe, {name: interleaved-1f1b, virtual: 2}]']),
        ('sweep', lambda: pw.sweep(STUDY), ['sweep', study]),
        ('plan', lambda: pw.plan(small, simulations=5, subject_to=['memory<=70GiB', 'nodes<=1']),
         ['plan', small, '--simulations', '5', '--subject-to', 'memory<=70GiB', '--subject-to', 'nodes<=1']),
        ('sensitivity', lambda: pw.sensitivity(SMALL), ['sensitivity', small]),
        ('validate', lambda: pw.validate(RUNS), ['validate', runs]),
        ('collective', lambda: pw.collective('dgx-h100', kind='all_gather', maxbytes='1M'),
         ['collective', 'dgx-h100', '--kind', 'all_gather', '--maxbytes', '1M']),
        ('collective of a dict', lambda: pw.collective({'node': 'dgx-h100', 'nodes': 2}).rows[-1],
         None)):
    result = made()
    if words:
        theirs = by_program(*words)
        ok(lasting(result.to_dict()) == lasting(theirs), f'{name}: the same as the program',
           f'{lasting(result.to_dict())}'[:700] + f'\n{lasting(theirs)}'[:700])
    else:
        ok(result.ranks == 16 if 'ranks' in result else len(result) > 0, f'{name} runs', result)
ok(lasting(pw.simulate(job).to_dict()) == lasting(pw.simulate(JOB).to_dict()), 'a path is what a dict is')

# 1F1B, by hand: 8 micro-batches of 3 ms on a device, and 3 more pass while the pipeline fills and drains.
result = pw.simulate(JOB)
ok(abs(result.iteration_time_s - 0.033) < 1e-12, 'keys are attributes', result.iteration_time_s)
ok(abs(result.breakdown.bubble_s - 0.009) < 1e-12, 'and of what stands in them', result.breakdown)
ok(result.ranks[0].peak_in_flight == 4 and result['ranks'][3]['peak_in_flight'] == 1, 'lists have items')
error = error_of(lambda: result.itertion_time_s, AttributeError)
ok(error and "did you mean 'iteration_time_s'?" in str(error), 'a key that is not there is no attribute', error)
error = error_of(lambda: pw.compare(JOB, schedules='1f1b').rows, AttributeError)
ok(error and 'it has: schema, results' in str(error), 'where none is like it, all are named', error)
error = error_of(lambda: pw.simulate(JOB, tensor=4))
ok(error and "simulate has no option tensor=; keys stand in the dict that is run, or in set=" in str(error), 'a key is no option', error)
error = error_of(lambda: pw.plan(small, simulation=4))
ok(error and 'did you mean simulations=?' in str(error), 'an option that is misspelt is guessed', error)
for where in (result, result.breakdown):
    error = error_of(lambda: setattr(where, 'bubble_s', 0), AttributeError)
    ok(error and 'to_dict()' in str(error), 'no attribute can be set', error)
result.to_dict()['breakdown']['bubble_s'] = 7
ok(abs(result.breakdown.bubble_s - 0.009) < 1e-12, 'a dict of a result is a copy')
ok(error_of(lambda: result.save(json=True), TypeError) is not None, 'a name of a file is a path')
ok('iteration_time_s' in dir(result) and 'iteration time' in repr(result), 'a result shows itself')
ok(set(dir(pw)) == {*pw.__all__, '__version__'}, 'the module lists what is for users', dir(pw))
ok(all('--' not in line or 'pipewright ' in line for name in pw.FUNCTIONS
       for line in getattr(pw, name).__doc__.splitlines())
   and 'set={' in pw.simulate.__doc__ and 'json FILE' not in pw.simulate.__doc__
   and 'no_fold=' in pw.simulate.__doc__, 'the help of a function has its own names', pw.simulate.__doc__)
ok('best' not in dir(result) and 'best' in dir(pw.compare(JOB, schedules='1f1b,gpipe')), 'it lists what it has')
ok(result == pw.simulate(JOB) and hash(result) == hash(pw.simulate(JOB)), 'the same simulated again is equal')
ok(result != pw.simulate(JOB, set={'schedule': 'gpipe'}) and result != 7, 'and another is not')
in_one_line = pw.simulate('{model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}, '
                          'cluster: {devices: 4, link: {latency: 0 s}}, schedule: 1f1b}')
ok(in_one_line == result, 'a text of YAML may be one line')
error = error_of(lambda: pw.simulate('model: no-such-model'))
ok(error and "no-such-model" in str(error) and error.line == 1, 'and its mistakes are told as such', error)

# What can be saved.
result.save(html='page.html', trace='trace.json', json='result.json', csv='result.csv')
with open('trace.json') as file:
    ok(json.load(file)['traceEvents'], 'a trace is saved')
with open('page.html') as file:
    ok('</html>' in file.read(), 'a page is saved')
ok('srcdoc' in result._repr_html_() and len(result._repr_html_()) > 10000, 'a notebook shows the page')
ok('srcdoc' in pw.sensitivity(SMALL)._repr_html_(), 'of sensitivities, too')
change = pw.collective({'node': 'dgx-h100', 'nodes': 2}, reshard='RRR@(1,8) -> RRR@(1,8)')
ok('<pre>' in change._repr_html_(), 'or the text where there is no page')
error = error_of(lambda: result.save(json='/nowhere/result.json'), pw.Failure)
ok(error is not None, 'what cannot be written is a failure', error)
try:
    import pandas
    rows = pw.compare(JOB, schedules='1f1b,gpipe').to_pandas()
    ok(list(rows.schedule) == ['1f1b', 'gpipe'] and rows.iteration_time_s[0] == 0.033, 'rows are a DataFrame', rows)
    rows = pw.compare(JOB, schedules='1f1b,dualpipe', set={'model.synthetic.devices': 3, 'cluster.devices': 3}).to_pandas()
    ok(list(rows.feasible) == [True, False] and list(rows[rows.feasible].schedule) == ['1f1b'],
       'what cannot be is not feasible', rows)
    rows = pw.sweep({'experiment': SMALL, 'vary': {'parallel.pipeline': [1, 2, 4]}}).to_pandas()
    gains = pw.sensitivity(SMALL).to_pandas()
    ok(list(gains.gain_fraction.dropna()) == sorted(gains.gain_fraction.dropna(), reverse=True) and set(gains.factor) == {1.1},
       'gains are a DataFrame', gains)
    ok(list(rows.data) == [8, 4, 2], 'the degree of data that follows is a column', rows)
    slow = pw.diagnose({**JOB, 'stragglers': [{'device': 2, 'slowdown': 2}]})
    rows = slow.to_pandas()
    ok(list(rows.cause) == [one.cause for one in slow.causes] and list(rows.recovered_s) == [one.recovered_s for one in slow.causes],
       'causes are a DataFrame', rows)
    ok(abs(rows.step_fraction[0] * slow.measured_s - rows.recovered_s[0]) < 1e-9, 'with what they are of a step', rows)
except ModuleNotFoundError:
    ok(True, 'rows are a DataFrame # SKIP there is no pandas')

# Whole numbers of tables, which are floats beside a field that is missing, and NumPy's scalars.
fourfold = lasting(pw.simulate(SMALL, set={'parallel.pipeline': 4, 'overlap.data': True}).to_dict())
ok(lasting(pw.simulate(SMALL, set={'parallel.pipeline': 4.0, 'overlap.data': True}).to_dict()) == fourfold, 'a float may be a whole number')
ok(lasting(pw.simulate({**SMALL, 'parallel': {'pipeline': 4.0}, 'overlap': {'data': True}}).to_dict()) == fourfold, 'in a dict, too')
error = error_of(lambda: pw.simulate(SMALL, set={'parallel.pipeline': 4.5}))
ok(error and 'whole number' in str(error), 'other floats are none', error)
try:
    import numpy as np
    ok(lasting(pw.simulate(SMALL, set={'parallel.pipeline': np.int64(4), 'overlap.data': np.bool_(True)}).to_dict()) == fourfold,
       "set= takes NumPy's scalars")
    ok(len(pw.collective('dgx-h100', maxbytes=np.int64(1 << 20)).rows) == len(pw.collective('dgx-h100', maxbytes='1M').rows),
       'options, too')
    ok(pw.simulate(JOB, no_fold=np.bool_(False), seed=np.float64(3)).iteration_time_s == 0.033, 'of any type')
except ModuleNotFoundError:
    ok(True, "NumPy's scalars # SKIP there is no NumPy")

# An experiment is a name, a path, a dict, a text or what a result has.
plan = pw.plan(small, simulations=5)
ok(lasting(pw.simulate(result.experiment).to_dict()) == lasting(result.to_dict()), "a result's experiment runs again")
ok(abs(pw.simulate(result.experiment, set={'model.synthetic.microbatches': 4}).iteration_time_s - 0.021) < 1e-12, 'with changes')
ok(pw.simulate({**JOB, 'cluster': result.experiment.cluster}).iteration_time_s == 0.033, 'a part of one stands in a dict')
ok(abs(pw.simulate(plan.best.experiment_yaml).iteration_time_s / plan.best.iteration_time_s - 1) < 1e-9, 'a text of YAML is one')
os.makedirs('elsewhere/small-llama')
with open('elsewhere/small-llama/config.json', 'w') as file:
    json.dump({'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'hidden_size': 256, 'intermediate_size': 688,
               'num_attention_heads': 4, 'num_hidden_layers': 4, 'vocab_size': 1000, 'attention_dropout': 0.0, 'bos_token_id': 1}, file)
with open('elsewhere/job.yaml', 'w') as file:
    file.write('model: ./small-llama\ncluster: {node: dgx-h100, nodes: 1}\nbatch: {global: 64, sequence: 512}\nschedule: 1f1b\n')
of_folder = pw.simulate('elsewhere/job.yaml')
ok(lasting(pw.simulate(of_folder.experiment).to_dict()) == lasting(of_folder.to_dict()), 'so is one of a Hugging Face model')
planned = pw.plan('elsewhere/job.yaml', simulations=5).best
ok(abs(pw.simulate(planned.experiment_yaml).iteration_time_s / planned.iteration_time_s - 1) < 1e-9,
   'its plan finds the model from any folder')
plan.save(experiment='planned.yaml')
ok(isinstance(plan.best.peak_memory_bytes, int), 'bytes are whole numbers', plan.best.peak_memory_bytes)
with open('planned.yaml') as file:
    schema = file.readline().partition('$schema=')[2].strip()
ok(not schema or os.path.exists(schema), 'a file that is saved names a schema that is there, or none', schema)
ok(abs(pw.simulate('planned.yaml').iteration_time_s / plan.best.iteration_time_s - 1) < 1e-9, 'a plan is saved as one')
pw.plan(small, simulations=5, write='megatron-args:planned.sh', output=None)
ok(os.path.exists('planned.sh'), 'and written as a job of another tool')
result.save(trace='job.json', experiment='again.yaml')
ok(lasting(pw.simulate('again.yaml').to_dict()) == lasting(result.to_dict()), 'so is a run')
found = pw.diagnose('job.json', experiment=JOB)
ok('prediction' in found, 'diagnose takes a dict')
ok(pw.diagnose(pathlib.Path('job.json')).measured_s == pw.diagnose(['job.json']).measured_s == found.measured_s, 'a path or a list of them')
slow = {**JOB, 'stragglers': [{'device': 2, 'slowdown': 2}]}
simulated = pw.diagnose(slow)
ok(abs(simulated.measured_s - pw.simulate(slow).iteration_time_s) < 1e-9 and simulated.causes[0].who == 'stage 2',
   'an experiment is simulated first', simulated)
ok(pw.diagnose(JOB, set={'stragglers': slow['stragglers']}).measured_s == simulated.measured_s, 'with changes')
found.save(experiment='found.yaml')
ok(pw.simulate('found.yaml').iteration_time_s > 0, 'and what it found is saved')
error = error_of(lambda: pw.sweep(STUDY).save(experiment='x.yaml'))
ok(error and 'no single experiment' in str(error), 'a sweep is no experiment', error)
for what, call, right in (
        ('a number', lambda: pw.simulate(5), 'a dict'), ('None', lambda: pw.simulate(None), 'a dict'),
        ('set= of a text', lambda: pw.simulate(JOB, set='a=b'), "{'parallel.tensor': 4}"),
        ('an object as option', lambda: pw.simulate(JOB, seed=object()), 'seed takes no object; give a dict'),
        ('half a seed', lambda: pw.simulate(JOB, seed=1.5), 'whole number'),
        ('no factor', lambda: pw.collective('dgx-h100', stepfactor='x'), 'must be a number'),
        ('an object to set', lambda: pw.simulate(JOB, set={'schedule': object()}), 'schedule takes no object'),
        ('a key that is no text', lambda: pw.simulate(JOB, set={4: 5}), "such as 'parallel.tensor'"),
        ('a key of an inner dict', lambda: pw.simulate(JOB, set={'schedule': {(1, 2): 3}}), 'schedule cannot be read'),
        ('a result', lambda: pw.simulate(result), 'result.experiment'),
        ('a row', lambda: pw.simulate(pw.sweep(STUDY).best), 'result.experiment'),
        ('a sweep', lambda: pw.compare(pw.sweep(STUDY)), 'result.best.experiment'),
        ('a plan', lambda: pw.simulate(plan), 'result.best.experiment_yaml'),
        ('a proposal', lambda: pw.sensitivity(plan.best), 'result.experiment_yaml'),
        ('a list', lambda: pw.sweep([1, 2]), 'sweep takes no list; give a name'),
        ('bytes', lambda: pw.simulate(b'example'), 'simulate takes no bytes'),
        ('a number as progress', lambda: pw.sweep(STUDY, progress=5), 'a function of two numbers'),
        ('a kind that is no text', lambda: pw.catalogue(5), 'as a text'),
        ('nothing to save', lambda: result.save(html=None), 'name one of json='),
        ('output', lambda: pw.plan(JOB, output='x'), 'save(experiment=...)'),
        ('a broken text', lambda: pw.simulate('model: {\n'), '{')):
    error = error_of(call)
    ok(error and right in str(error), f'{what} is an InputError that says what is right', error)

# Lists and ranges.
ranged = pw.sweep({**STUDY, 'vary': {'model.synthetic.microbatches': range(4, 7)}})
ok([row.settings['model.synthetic.microbatches'] for row in ranged.results] == [4, 5, 6],
   'a range is a list, and settings that are numbers are such', ranged.results)
ok(error_of(lambda: pw.diagnose('job.json', layers=[8, 8, 9, 7])) is None, 'layers may be a list')

# The row to take. 1F1B and GPipe of 4 micro-batches on 4 devices take 7 x 3 ms, of 8 11 x 3 ms.
best = pw.sweep({**STUDY, 'vary': {**STUDY['vary'], 'overlap.data': [True], 'model.synthetic.backward': ['2 ms']}}).best
ok(abs(best.iteration_time_s - 0.021) < 1e-12, 'a sweep has its best')
ok(best.settings.to_dict() == {'model.synthetic.microbatches': 4, 'schedule': best.schedule, 'overlap.data': True,
                               'model.synthetic.backward': '2 ms'}, 'with the values that were varied', best.settings)
ok(pw.simulate(JOB, set=best.settings).iteration_time_s == best.iteration_time_s, 'which may be set')
ok(pw.compare(JOB, schedules='gpipe,interleaved-1f1b').best.schedule == 'interleaved-1f1b', 'a comparison, too')
ok(error_of(lambda: result.best, AttributeError) is not None, 'one run has none')
ok(pw.simulate(SMALL).peak_memory_bytes == max(rank.peak_memory_bytes for rank in pw.simulate(SMALL).ranks)
   and 'peak_memory_bytes' in dir(pw.simulate(SMALL)), 'the peak of all ranks is an attribute')
ok('peak_memory_bytes' not in result.to_dict(), 'and no key of the JSON')

# Results travel between processes by their JSON, CSV and text.
kept = pickle.loads(pickle.dumps(result))
ok(kept.to_dict() == result.to_dict() and repr(kept) == repr(result), 'a result can be pickled')
kept.save(json='kept.json', csv='kept.csv')
with open('result.csv') as saved, open('kept.csv') as again:
    ok(saved.read() == again.read(), 'what was pickled is saved')
error = error_of(lambda: kept.save(html='kept.html'))
ok(error and 'save(html=...)' in str(error), 'but for its page', error)
ok('<pre>' in kept._repr_html_(), 'which a notebook shows as text')
ok(pickle.loads(pickle.dumps(pw.sweep(STUDY))).best.iteration_time_s == pw.sweep(STUDY).best.iteration_time_s, 'a sweep can be pickled')
ok(copy.deepcopy(result).to_dict() == result.to_dict() and copy.copy(result.breakdown).bubble_s == result.breakdown.bubble_s, 'and copied')
failed = error_of(lambda: pw.simulate({**JOB, 'shedule': '1f1b'}))
again = pickle.loads(pickle.dumps(failed))
ok((str(again), again.hint, again.file) == (str(failed), failed.hint, failed.file), 'errors, too')

# Errors.
with open('bad.yaml', 'w') as file:
    file.write('model: gpt3-175b\ncluster: selene-96\nshedule: 1f1b\n')
error = error_of(lambda: pw.simulate('bad.yaml'))
ok(error and (error.file, error.line, error.column) == ('bad.yaml', 3, 1), 'an error has file, line and column', error)
ok(error and error.hint == "did you mean 'schedule'?" and str(error).startswith('bad.yaml:3:1: error: '), 'and a hint', error)
error = error_of(lambda: pw.simulate({**JOB, 'cluster': {'devices': 4, 'link': {'latncy': 1}}}))
ok(error and error.file == 'dict.cluster.link.latncy' and error.line is None, 'in a dict it is at its key', error)
error = error_of(lambda: pw.simulate('nowhere.yaml'))
ok(error and error.file == 'nowhere.yaml' and error.line is None, 'a file that cannot be read is the one of the error', error)
for what, call in (('an unknown option', lambda: pw.simulate(JOB, sead=1)),
                   ('an output as option', lambda: pw.simulate(JOB, html='x.html')),
                   ('no experiment', lambda: pw.simulate()),
                   ('an object', lambda: pw.simulate({**JOB, 'seed': object()})),
                   ('a key that is no text', lambda: pw.simulate({**JOB, 3: 4})),
                   ('an unknown kind', lambda: pw.catalogue('modles')),
                   ('two dicts', lambda: pw.simulate(JOB, JOB))):
    ok(error_of(call) is not None, f'{what} is an InputError')
deep = []
deep.append(deep)
ok(error_of(lambda: pw.simulate({**JOB, 'schedule': deep})) is not None, 'what holds itself is an InputError')

# The catalogue and the schemas.
ok('gpt3-175b' in pw.catalogue('models') and pw.catalogue('models', 'gpt3-175b')['transformer']['layers'] == 96, 'the catalogue')
ok('1f1b' in pw.catalogue('schedules'), 'the catalogue of what is built in')
ok(pw.schema('experiment')['$ref'] == '#/$defs/experiment', 'schemas')

# Threads and progress.
results, expected = [None] * 8, [lasting(pw.simulate(SMALL, set={'batch.global': 32 * (i + 1)}).to_dict()) for i in range(8)]


def fill(i):
    results[i] = lasting(pw.simulate(SMALL, set={'batch.global': 32 * (i + 1)}).to_dict())


threads = [threading.Thread(target=fill, args=[i]) for i in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
ok(results == expected, 'threads do not disturb each other')
told = []
pw.sweep(STUDY, progress=lambda *counts: told.append(counts))
ok(told and told[-1] == (4, 4), 'progress is told to the end', told)
for progress in (True, False, None):
    ok(len(pw.sweep(STUDY, progress=progress).results) == 4, f'progress may be {progress}')
for what, counts, text in (('runs', (3, 12, 6), '3 of 12 runs, 18 s left'), ('runs', (0, 12, 6), '0 of 12 runs'),
                           ('simulating', (30, 40, 9), 'simulating: 75 %, 3 s left'),
                           ('plans simulated', (7, 0, 5), 'plans simulated: 7, 5 s'), ('preparing', (0, 0, 2), 'preparing: 2 s')):
    ok(pw.progress._text(what, *counts) == text, f'a line says: {text}', pw.progress._text(what, *counts))
ok(error_of(lambda: pw.sweep(STUDY, progress=lambda *counts: 1 / 0), ZeroDivisionError) is not None, 'an error of who is told ends the work')

# While one runs, others do, and Ctrl-C ends it.
waiting = subprocess.Popen([sys.executable, '-c', f'''
import sys, threading, time
sys.path.insert(0, {os.path.dirname(package)!r})
import pipewright as pw
beats = []
def beat():
    while True:
        beats.append(0)
        if len(beats) == 20: print("running", flush=True)
        time.sleep(0.01)
threading.Thread(target=beat, daemon=True).start()
try:
    pw.sweep({{'experiment': {SMALL!r}, 'vary': {{'batch.global': list(range(32, 32 * 20001, 32))}}}})
except KeyboardInterrupt:
    print("stopped")
'''], stdout=subprocess.PIPE, text=True)
ok(waiting.stdout.readline() == 'running\n', 'other threads run beside a call')
waiting.send_signal(signal.SIGINT)
try:
    ok(waiting.communicate(timeout=60)[0] == 'stopped\n' and waiting.returncode == 0, 'Ctrl-C ends a call')
except subprocess.TimeoutExpired:
    waiting.kill()
    ok(False, 'Ctrl-C ends a call')

# Types.
with open(os.path.join(package, '__init__.pyi')) as file:
    types = ast.parse(file.read())
functions = {node.name: node for node in types.body if isinstance(node, ast.FunctionDef)}
classes = {node.name: node for node in types.body if isinstance(node, ast.ClassDef)}
ok({*functions, *classes} >= set(pw.__all__), 'everything has types', set(pw.__all__) - {*functions, *classes})
names = {item.name for item in classes['_RunResult'].body if isinstance(item, ast.FunctionDef)}
ok(set(result) <= names, 'every key of a result has one', set(result) - names)
ok({'simulations', 'subject_to', 'minimize', 'set'} <= {argument.arg for argument in functions['plan'].args.kwonlyargs}, 'and every option')
for name, options in (('collective', ['kind', 'queue_pairs', 'seeds']), ('validate', ['seed', 'if_free']), ('sweep', ['if_free'])):
    ok(set(options) <= set(inspect.signature(getattr(pw, name)).parameters), f'{name} says all that it takes')
ok('verbose' not in inspect.signature(pw.compare).parameters, 'and nothing else')
for name, typed in functions.items():
    if name in pw.FUNCTIONS:
        there = [argument.arg for argument in typed.args.kwonlyargs]
        ok(list(inspect.signature(getattr(pw, name)).parameters)[1:] == there, f'{name} has the signature that its types say')
for name, takes_many in (('simulate', False), ('plan', False), ('compare', False), ('diagnose', True), ('validate', True)):
    subject = next(iter(inspect.signature(getattr(pw, name)).parameters.values()))
    ok((subject.kind == subject.VAR_POSITIONAL) == takes_many and bool(functions[name].args.vararg) == takes_many,
       f'{name} takes {"any number of subjects" if takes_many else "one subject"}')
if shutil.which('stubtest'):
    # The stub is the package's own; its files in Python have no types.
    with open('mypy.ini', 'w') as file:
        file.write('[mypy]\nignore_missing_imports = True\n[mypy-pipewright.*]\nignore_errors = True\n')
    checked = subprocess.run(['stubtest', '--mypy-config-file', 'mypy.ini', 'pipewright'], text=True, capture_output=True,
                             env={**os.environ, 'PYTHONPATH': os.path.dirname(package), 'MYPYPATH': os.path.dirname(package)})
    ok(checked.returncode == 0, 'types are those of the module', checked.stdout + checked.stderr)
else:
    ok(True, 'types are those of the module # SKIP stubtest is not installed')

done()
