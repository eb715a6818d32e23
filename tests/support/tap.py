"""Results of checks as TAP, for tests written in Python."""
import sys

sys.dont_write_bytecode = True
count = 0


def ok(condition, name, why=''):
    """Prints one result; of a failed one also why, cut to what a log can show."""
    global count
    count += 1
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    if not condition:
        print('#', str(why).replace('\n', '\n# ')[:1500])


def done():
    """Prints the plan."""
    print(f'1..{count}')
