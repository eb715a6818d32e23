#!/usr/bin/env python3
"""Measures what PyTorch makes of one GPU and its host: kernels, operators, power, memory.

    measure.py FOLDER [PART ...]

writes FOLDER/torch.csv, a row a measurement (rows.py has its columns), and FOLDER/torch.txt, the
machine and its software. PART is one or more of those in `PARTS` and `NAMED`; without it all of
`PARTS` run, which take about four minutes on H100. A part that fails or that PyTorch's release lacks says so in its rows.
"""

import os
import platform
import sys
import time

import torch

from attention import attention
from host import host
from layers import layers
from machine import copies, memory
from networks import networks
from products import alignment, products
from rows import Rows
from streams import optimizers, streams
from sustained import sustained
from timing import Sampler
from training import training

PARTS = {
    "memory": memory,  # first: it sees the device untouched
    "host": host,
    "streams": streams,
    "optimizers": optimizers,
    "sustained": lambda rows: sustained(rows, Sampler()),
    "layers": lambda rows: layers(rows, Sampler()),
    "alignment": alignment,
    "attention": attention,
    "products": products,
    "networks": networks,
    "copies": copies,
}
# What is run only where it is named: whole jobs, whose traces stand beside the table.
NAMED = {"training": lambda rows: training(rows, Sampler(), rows.folder)}


def machine():
    """Returns the machine and its software, a line each."""
    with open("/proc/cpuinfo") as file:
        processor = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    gpu = torch.cuda.get_device_properties(0)
    return (
        f"date: {time.strftime('%Y-%m-%d')}\n"
        f"device: {gpu.name}, {gpu.multi_processor_count} multiprocessors, {gpu.total_memory} bytes\n"
        f"host: {processor}, {os.cpu_count()} cores, Linux {platform.release()}\n"
        f"software: Python {platform.python_version()}, PyTorch {torch.__version__}, "
        f"CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}, "
        f"NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}\n"
    )


def main(folder, parts):
    known = PARTS | NAMED
    unknown = [part for part in parts if part not in known]
    if unknown:
        sys.exit(f"measure.py: no part '{unknown[0]}': one of {' '.join(known)}")
    if not torch.cuda.is_available():
        sys.exit("measure.py: PyTorch finds no GPU")
    os.makedirs(folder, exist_ok=True)
    rows = Rows(os.path.join(folder, "torch.csv"))
    with open(os.path.join(folder, "torch.txt"), "w") as file:
        file.write(machine())
    for name in [name for name in known if name in (parts or PARTS)]:
        begin = time.perf_counter()
        try:
            known[name](rows)
        except Exception as error:
            rows.add(name, "", "", "", {}, note=f"failed: {str(error)[:200]}")
        torch.cuda.empty_cache()
        print(f"{name}: {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
