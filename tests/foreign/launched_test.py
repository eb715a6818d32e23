#!/usr/bin/env python3
"""Exports jobs for clusters whose hosts are known and holds the launch that is written to them. TAP.
  usage: launched_test.py PIPEWRIGHT"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import tap  # noqa: E402

MODEL = ("{transformer: {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocabulary: 128256, gated: true, "
         "positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: false}}")
# Devices of one operating system: trays of an NVL72 and Alps' nodes have four (NVIDIA's Multi-Node Tuning Guide,
# CSCS), a DGX-2 sixteen, a DGX H100 eight.
CLUSTERS = {"gb200-nvl72": (2, 4), "gb300-nvl72": (1, 4), "gh200-quad": (8, 4), "dgx-2": (2, 16), "dgx-h100": (4, 8)}
FRAMEWORKS = {"megatron-args": "megatron", "torchtitan": "torchtitan", "nanotron": "nanotron",
              "deepspeed": "deepspeed", "nemo": "megatron", "accelerate": "torchtitan"}
SETTINGS = {"torchtitan": ["parallel.zero=3"], "accelerate": ["parallel.zero=3", "gradients=bf16"],
            "deepspeed": ["overlap.data=false"]}
COUNTS = {"deepspeed": r"--num_nodes (\d+) --num_gpus (\d+)", "nemo": r"devices: (\d+)\n\s*num_nodes: (\d+)",
          "accelerate": r"num_machines: (\d+)\nnum_processes: (\d+)"}
TORCHRUN = r"torchrun --nnodes (\d+) --nproc-per-node (\d+)"


def exported(pipewright, kind, node, nodes, devices):
    text = (f"model: {MODEL}\ncluster: {{node: {node}, nodes: {nodes}, fabric: {{kind: fat-tree, link: ndr}}}}\n"
            f"parallel: {{data: {devices}, zero: 1}}\nbatch: {{global: {devices}, micro: 1, sequence: 1024}}\n"
            f"schedule: 1f1b\nframework: {FRAMEWORKS[kind]}\n")
    sets = [word for one in SETTINGS.get(kind, []) for word in ("--set", one)]
    return subprocess.run([pipewright, "export", kind, "-", *sets], input=text, capture_output=True, text=True,
                          check=False)


def counts(kind, text):
    """The hosts and the ranks of each, as the job says them."""
    found = re.search(COUNTS.get(kind, TORCHRUN), text)
    if not found:
        return None
    first, second = int(found.group(1)), int(found.group(2))
    if kind == "nemo":
        return second, first
    return (first, second // first) if kind == "accelerate" else (first, second)


def main():
    for kind in FRAMEWORKS:
        for node, (nodes, of_a_host) in CLUSTERS.items():
            devices = nodes * {"gb200-nvl72": 72, "gb300-nvl72": 72}.get(node, of_a_host)
            result = exported(sys.argv[1], kind, node, nodes, devices)
            wanted = devices // of_a_host, of_a_host
            tap.ok(counts(kind, result.stdout) == wanted,
                   f"{kind} starts {wanted[1]} ranks on each of {wanted[0]} hosts of {node}",
                   result.stderr + result.stdout[:600])
            if kind not in COUNTS:
                meets = wanted[0] == 1 or "--rdzv-backend c10d --rdzv-endpoint" in result.stdout
                tap.ok(meets, f"{kind}: hosts of {node} meet", result.stdout[:600])
    tap.done()


main()
