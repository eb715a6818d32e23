"""What the table of options says, every surface says. usage: options_test.py PROGRAM ROOT. Prints TAP."""
import json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

program, root = (os.path.abspath(path) for path in sys.argv[1:])


def run(*words):
    return subprocess.run([program, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(experiment, *words):
    return json.loads(run('simulate', experiment, '--json', '-', '--quiet', *words).stdout)


# A new key costs one entry: the struct, its reader, the schema and the texts follow.
generator = f'{root}/sim/experiment/generator/generate.py'
table = open(f'{root}/sim/experiment/options.yaml').read()
entry = """        scratch:
          doc: A key that nobody has.
          type: int
          least: 3
          most: 7
          default: 5
"""
place = '        data:\n          doc: Whether gradients are reduced as soon'
ok(table.count(place) == 1, 'the table has a place for a new overlap option')
with tempfile.TemporaryDirectory() as folder:
    def generated(text):
        path = f'{folder}/options.yaml'
        open(path, 'w').write(text)
        outputs = [f'{folder}/{name}' for name in ('options.hpp', 'options.cpp', 'option_texts.cpp')]
        done = subprocess.run([sys.executable, '-B', generator, path, *outputs], text=True, stderr=subprocess.PIPE)
        return done.returncode, done.stderr, [open(name).read() if os.path.exists(name) else '' for name in outputs]

    code, why, (header, source, texts) = generated(table.replace(place, entry + place))
    ok(code == 0, 'a table with a new key is taken', why)
    ok('int scratch = defaults::overlap_scratch;' in header, 'the struct has the new key')
    ok('const int overlap_scratch = 5;' in source, 'the source has its default')
    ok('config::as_int(*v, 3, 7)' in source, 'its reader holds the range')
    ok('set_absent(map, "scratch", "5")' in source, 'the resolved document says it')
    ok('"overlap.scratch"' in texts and 'A key that nobody has.' in texts, 'help and the reference know it')
    ok('"scratch": {"type": "integer", "minimum": 3, "maximum": 7' in texts, 'so does the schema')
    for wrong, name in [(entry.replace('type: int', 'type: integer'), 'a type that there is not'),
                        (entry.replace('          doc: A key that nobody has.\n', ''), 'a key without a doc'),
                        (entry.replace('default', 'defualt'), 'a word that there is not'),
                        (entry.replace('          default: 5\n', ''), 'a key without a default')]:
        code, why, _ = generated(table.replace(place, wrong + place))
        ok(code != 0 and 'overlap.scratch' in why, f'{name} is refused where it stands', why)

# The resolved document has every key that has a default, and running it gives the same.
schema = json.loads(run('schema', 'experiment').stdout)['$defs']['experiment']
defaults = {key: one['default'] for key, one in schema['properties'].items() if 'default' in one}
ok(len(defaults) > 10, 'keys have defaults', defaults)
first = result('gpt3-175b-selene')
resolved = first['experiment']
absent = [key for key in defaults if key not in resolved and key != 'dispatch']
ok(not absent, 'a result says every key that has a default', absent)
inner = [f'{map_}.{key}' for map_ in ('parallel', 'batch', 'overlap')
         for key, one in schema['properties'][map_]['properties'].items()
         if 'default' in one and key not in resolved[map_] and key not in ('prefetch', 'gathered', 'scattered')]
ok(not inner, 'also those inside its maps', inner)
# What follows from other keys is said too, where it is about something that the experiment has.
derived = {f'{map_}.{key}' for map_ in ('parallel', 'batch', 'data')
           for key, one in schema['properties'][map_]['properties'].items()}
sharded = result('gpt3-175b-selene', *(word for setting in
                 ('parallel.zero=3', 'parallel.pipeline=1', 'batch.global=768', 'schedule=gpipe')
                 for word in ('--set', setting)))['experiment']
# A mesh and copies say the same as other degrees, which a result has.
missing = [key for key in derived - {'parallel.mesh', 'parallel.replicate', 'parallel.sbp', 'parallel.secondary', 'batch.lengths', 'batch.image_size'}
           if key.split('.')[1] not in sharded[key.split('.')[0]]]
ok(not missing, 'a result says what other keys decided', missing)
with tempfile.TemporaryDirectory() as folder:
    path = f'{folder}/again.json'
    json.dump(resolved, open(path, 'w'))
    again = result(path)
    for one in (first, again):
        one.pop('simulation')
    ok(first == again, 'running what a result says gives the same bytes')

# help.
shown = run('help', 'overlap.p2p').stdout
ok('rendezvous' in shown and 'default  async' in shown, 'help shows a key with its choices', shown)
shown = run('help', 'recompute').stdout
ok('in       experiments with a model or peers' in shown, 'help shows which experiments have a key', shown)
shown = run('help', 'overlap').stdout
ok('overlap.tensor' in shown, 'help of a map lists its keys', shown)
missing = run('help', 'overlap.p2')
ok(missing.returncode == 2 and "did you mean 'overlap.p2p'" in missing.stderr, 'a wrong key is told', missing.stderr)
everything = run('help').stdout
for key in schema['properties']:
    ok(f'\n  {key} ' in '\n' + everything, f'help lists {key}')
ok(open(f'{root}/workloads/REFERENCE.md').read() == run('help', '--markdown').stdout,
   'workloads/REFERENCE.md is what help --markdown prints')

# completion.
for shell in ('bash', 'zsh', 'fish'):
    script = run('completion', shell).stdout
    ok('overlap.p2p' in script and 'simulate' in script, f'{shell} completes keys and commands')
ok(subprocess.run(['bash', '-n'], input=run('completion', 'bash').stdout, text=True).returncode == 0,
   'bash takes its script')
def completed(*words):
    """What bash offers for the last word."""
    line = ' '.join(f"'{word}'" for word in words)
    script = f"""{run('completion', 'bash').stdout}
COMP_WORDS=(pipewright {line}); COMP_CWORD={len(words)}; compopt() {{ :; }}; _pipewright
printf '%s\\n' "${{COMPREPLY[@]}}" """
    return set(subprocess.run(['bash', '-c', script], text=True, stdout=subprocess.PIPE, cwd='/').stdout.split())


def first_words(text):
    return {line.split()[0] for line in text.splitlines() if line.startswith('  ') and line.split()}


offered = {command: completed(command, '--') for command in first_words(run('--help').stdout) & completed('')}
ok(len(offered) > 15, 'commands have completions', offered)
with tempfile.TemporaryDirectory() as folder:  # an option may take the next word for a file to write
    def answer(*words):
        return subprocess.run([program, *words], text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)

    unknown = [(command, option) for command, options in offered.items() for option in options
               if f"unknown option '{option}'" in answer(command, option, '--no-such-option').stderr]
ok(not unknown, 'every option that completion offers is one of the command', unknown)
ok('--attach' not in offered['sweep'] and '--store' in offered['sweep'], 'options are those of the command')
for command, words in {'schema': {'experiment', 'result'}, 'list': {'clusters', 'models'},
                       'completion': {'bash', 'zsh', 'fish'}, 'help': {'overlap.p2p', 'simulate'},
                       'import': {'megatron-args', 'kineto'}, 'export': {'megatron-args', 'gpt3-175b-selene'},
                       'profile': {'diff'}, 'collective': {'dgx-h100'}, 'fit': {'kernels'}}.items():
    ok(words <= completed(command, ''), f'{command} completes its words', completed(command, ''))
ok(run('completion', 'csh').returncode == 2, 'a shell that is not known is refused')
done()
