"""Manual pages are well formed and name what they are of. usage: manual_test.py PAGE... Prints TAP."""
import os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

pages = sys.argv[1:]


for page in pages:
    made = subprocess.run(['groff', '-man', '-ww', '-Tutf8', '-P-cbou', page], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    name = os.path.basename(page).rsplit('.', 1)[0]
    ok(made.returncode == 0 and not made.stderr, f'{name}: groff has nothing to say', made.stderr)
    text = re.sub(r'\s+', ' ', made.stdout)
    ok(f'NAME {name} - ' in text.replace('\u2010', '-') and 'SEE ALSO' in text, f'{name} has a name and an end', text[:300])

done()
