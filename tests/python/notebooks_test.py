"""Executes the notebooks and compares what their cells print with what stands in them.
usage: notebooks_test.py FOLDER_OF_THE_PACKAGE NOTEBOOK... Prints TAP. With PIPEWRIGHT_ACCEPT=1 it
writes the outputs into the notebooks."""
import os, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support'))
from tap import done, ok

try:
    import ipykernel, nbformat
    from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor
except ModuleNotFoundError as missing:
    print(f'1..0 # SKIP {missing.name} is missing')
    sys.exit()

package, *notebooks = sys.argv[1:]
os.environ['PYTHONPATH'] = os.path.dirname(package)
os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
accept = os.environ.get('PIPEWRIGHT_ACCEPT')
# The kernel is the Python that runs this test, whatever others are installed.
kernels = tempfile.mkdtemp()
folder = os.path.join(kernels, 'kernels', 'python3')
os.makedirs(folder)
with open(os.path.join(folder, 'kernel.json'), 'w') as file:
    file.write('{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", '
               '"language": "python"}' % sys.executable)
os.environ['JUPYTER_PATH'] = kernels


def printed(cell):
    """What a cell shows as text; a page is shown, too, but is no text. The line that says how far work is is drawn
    over, and nothing of it stays."""
    texts = {'stderr': '', 'other': ''}
    for output in cell.get('outputs', []):
        stream = 'stderr' if output.get('name') == 'stderr' else 'other'
        texts[stream] += output.get('text', '') or output.get('data', {}).get('text/plain', '')
    return texts['other'] + texts['stderr'].rpartition('\r')[2]


for path in notebooks:
    name = os.path.basename(path)
    expected = nbformat.read(path, as_version=4)
    book = nbformat.read(path, as_version=4)
    try:
        ExecutePreprocessor(timeout=300, kernel_name='python3').preprocess(book, {'metadata': {'path': os.path.dirname(os.path.abspath(path))}})
    except CellExecutionError as error:
        ok(False, f'{name} runs', error)
        continue
    if accept:
        for cell in book.cells:
            cell.metadata = {}
        nbformat.write(book, path)
        ok(True, f'{name} # SKIP written anew')
        continue
    for i, (ran, stands) in enumerate(zip(book.cells, expected.cells)):
        if ran.cell_type == 'code':
            ok(printed(ran) == printed(stands), f'{name}, cell {i}', f'expected:\n{printed(stands)}\ngot:\n{printed(ran)}')

done()
