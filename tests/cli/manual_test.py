"""Manual pages are well formed and name what they are of. usage: manual_test.py PAGE... Prints TAP."""
import os, re, subprocess, sys

pages = sys.argv[1:]
print(f'1..{2 * len(pages)}')
count = 0


def ok(condition, name, why=''):
    global count
    count += 1
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    if not condition:
        print('#', str(why).replace('\n', '\n# ')[:1500])


for page in pages:
    done = subprocess.run(['groff', '-man', '-ww', '-Tutf8', '-P-cbou', page], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    name = os.path.basename(page).rsplit('.', 1)[0]
    ok(done.returncode == 0 and not done.stderr, f'{name}: groff has nothing to say', done.stderr)
    text = re.sub(r'\s+', ' ', done.stdout)
    ok(f'NAME {name} - ' in text.replace('\u2010', '-') and 'SEE ALSO' in text, f'{name} has a name and an end', text[:300])
