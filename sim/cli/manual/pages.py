"""Makes manual pages of what `--help` prints and of the table of options.
usage: pages.py command VERSION HELP.md OUTPUT      section 1, of one command
       pages.py program VERSION OUTPUT HELP.md...   section 1, of the program and its commands
       pages.py keys VERSION TABLE TABLE.py REFERENCE.md OUTPUT
                                                    section 5, of an experiment's keys"""
import os
import re
import sys


def roff(text):
    """Text whose backslashes, hyphens and leading dots mean themselves."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return re.sub(r"(?m)^([.'])", r'\\&\1', text)


def code_in_bold(text):
    return re.sub(r'`([^`]*)`', r'\\fB\1\\fR', roff(text))


def title(name, section, version):
    return f'.TH {name.upper().replace("-", chr(92) + "-")} {section} "" "pipewright {version}" "Pipewright manual"\n'


def head(name, section, version, summary):
    return f'{title(name, section, version)}.SH NAME\n{roff(name)} \\- {roff(summary.rstrip("."))}\n'


def block(text):
    """One paragraph. A paragraph that has indented lines keeps its lines."""
    lines = text.split('\n')
    heading = re.fullmatch(r'([A-Z][A-Za-z ]*):', lines[0])
    out = ''
    if heading and len(lines) > 1:
        out += f'.SH {heading[1].upper()}\n'
        lines = lines[1:]
    else:
        out += '.PP\n'
    if any(line.startswith(' ') for line in lines):
        return out + '.nf\n' + roff('\n'.join(lines)) + '\n.fi\n'
    return out + code_in_bold('\n'.join(lines)) + '\n'


def parts(help_text):
    """The usage, the summary and the other paragraphs of a help text."""
    usage, summary, *rest = help_text.strip().split('\n\n')
    return usage, summary, rest


def command_name(usage):
    """`pipewright fit kernels FILE` is the page pipewright-fit-kernels."""
    words = []
    for word in usage.split('\n')[0].split():
        if not re.fullmatch(r'[a-z][a-z-]*', word):
            break
        words.append(word)
    return '-'.join(words)


def command_page(version, help_text):
    usage, summary, rest = parts(help_text)
    name = command_name(usage)
    first = ' '.join(summary.split('\n')).split('. ')[0]
    out = head(name, 1, version, first)
    out += '.SH SYNOPSIS\n.nf\n' + roff(usage) + '\n.fi\n.SH DESCRIPTION\n'
    out += ''.join(map(block, [summary] + rest))
    return out + '.SH SEE ALSO\n.BR pipewright (1),\n.BR pipewright\\-experiment (5)\n'


def program_page(version, help_texts):
    out = head('pipewright', 1, version, 'how a large model will train on a cluster, before the cluster is booked')
    out += '.SH SYNOPSIS\npipewright COMMAND [arguments] [options]\n.SH COMMANDS\n'
    for text in help_texts:
        usage, summary, _ = parts(text)
        words = command_name(usage).split('-')[1:]
        page = command_name(usage).replace('-', '\\-')
        out += f'.TP\n.B {" ".join(words)}\n{roff(summary.split(chr(10))[0])} See\n.BR {page} (1).\n'
    return out + '.SH SEE ALSO\n.BR pipewright\\-experiment (5)\n'


def schedule_options(reference):
    """The options of schedules, which the reference has as a table."""
    section = re.search(r'(?ms)^## Options of schedules$(.*?)(?=^## |\Z)', reference)[1]
    out = '.SH OPTIONS OF SCHEDULES\n'
    for row in re.findall(r'(?m)^\| `(.*) \|$', section):
        schedule, option, kind, default, doc = row.split(' | ')
        out += f'.TP\n\\fB{roff(schedule.strip("`"))}: {roff(option.strip("`"))}\\fR\n{code_in_bold(doc)}\n'
        out += f'.br\n{code_in_bold(f"Type: {kind}. Default: {default}.")}\n'
    return out


def keys_page(version, table_path, module_path, reference):
    sys.path.insert(0, os.path.dirname(module_path))
    import texts
    from table import Table, literal
    table = Table(table_path)
    out = head('pipewright-experiment', 5, version, 'the keys of an experiment')
    out += ('.SH DESCRIPTION\nAn experiment is a YAML file. It names a model, a cluster, how the work is spread '
            'over it, and a schedule.\n.SH KEYS\n')
    group = None
    for path, entry in table.walk():
        if path[0] != group:
            group = path[0]
            out += f'.SS {roff(group)}\n'
        out += f'.TP\n.B {roff(".".join(path))}\n{code_in_bold(entry["doc"])}\n'
        notes = [f'Type: {texts.all_types(table, entry)}.']
        if 'default' in entry:
            notes.append(f'Default: {literal(entry["default"])}.')
        elif 'derived' in entry:
            notes.append(f'Default: {entry["derived"]}.')
        out += '.br\n' + code_in_bold(' '.join(notes)) + '\n'
        for form in table.forms(entry):
            for name, doc in form.get('choices', {}).items():
                out += f'.br\n{roff(str(name))}: {code_in_bold(doc)}\n'
    return out + schedule_options(reference) + '.SH SEE ALSO\n.BR pipewright (1)\n'


def read(path):
    with open(path) as file:
        return file.read()


def main():
    kind, version, *words = sys.argv[1:]
    if kind == 'command':
        page, output = command_page(version, read(words[0])), words[1]
    elif kind == 'program':
        output = words[0]
        page = program_page(version, map(read, words[1:]))
    else:
        page, output = keys_page(version, words[0], words[1], read(words[2])), words[3]
    with open(output, 'w') as file:
        file.write(page)


main()
