"""The site of the documents is built, and every link in it leads to a file and an anchor that are there.
usage: site_test.py ROOT. Prints TAP."""
import os, shutil, subprocess, sys, tempfile
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

root = sys.argv[1]
if not shutil.which('mkdocs'):
    print('1..0 # SKIP mkdocs is not installed')
    sys.exit()


class Page(HTMLParser):
    """The links of a page, and what may be linked in it."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors = [], {'', 'top'}
        with open(file, encoding='utf-8') as text:
            self.feed(text.read())

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ('href', 'src') and value is not None:
                self.links.append(value)
            if key in ('id', 'name') and value:
                self.anchors.add(value)


def broken(pages, folder):
    for file, page in sorted(pages.items()):
        if file.endswith('404.html'):  # its links are of a server's root
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(file), unquote(parts.path))) if parts.path else file
            if os.path.isdir(target):
                target = os.path.join(target, 'index.html')
            if not os.path.isfile(target):
                yield f'{os.path.relpath(file, folder)}: {link} is no file'
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f'{os.path.relpath(file, folder)}: {link} is no anchor'


with tempfile.TemporaryDirectory() as folder:
    made = subprocess.run([os.path.join(root, '.ci/docs'), '--without-pages', '-o', folder], text=True, capture_output=True)
    ok(made.returncode == 0, 'the site is built', made.stdout + made.stderr)
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names if name.endswith('.html')]
    pages = {file: Page(file) for file in files}
    ok(len(pages) > 15, 'it has a page for every document', sorted(pages))
    wrong = list(broken(pages, folder))
    ok(not wrong, 'every link in it leads somewhere', '\n'.join(wrong[:40]))
done()
