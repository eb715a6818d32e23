"""Makes a C++ table of a CSV of residuals: residual_table.py IN OUT."""
import csv
import sys

COLUMNS = ['group', 'framework', 'device', 'precision', 'nodes', 'datasheet', 'exposed', 'host',
           'bubble', 'busy', 'slower']

with open(sys.argv[1], encoding='utf-8') as table:
    rows = list(csv.DictReader(table))
lines = []
for row in rows:
    words = ', '.join(f'"{row[name]}"' for name in COLUMNS[:4])
    lines.append('    {' + words + ', ' + ', '.join(row[name] for name in COLUMNS[4:]) + '},\n')
with open(sys.argv[2], 'w', encoding='utf-8') as out:
    out.write('#include "result/ranges.hpp"\n\nnamespace pipewright {\nnamespace {\n\n'
              'constexpr ResidualRow rows[] = {\n' + ''.join(lines) +
              '};\n\n}  // namespace\n\n'
              'std::span<const ResidualRow> published_residuals() { return rows; }\n\n'
              '}  // namespace pipewright\n')
