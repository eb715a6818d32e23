#!/usr/bin/env python3
"""Exports jobs and holds every key and argument of theirs to the names and types that the newest state
of the framework has: arguments/*.yaml. TAP.
  usage: arguments_test.py PIPEWRIGHT ARGUMENTS_OF_MEGATRON_LM"""
import json
import os
import re
import shlex
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import tap  # noqa: E402

EXPERIMENT = """
model: {transformer: {layers: 8, hidden: 256, heads: 4, ffn: 768, vocabulary: 1024, gated: true,
                      positions: rope, norm: rmsnorm, bias: false, dropout: false,
                      tied_embeddings: false}}
cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, data: 4, sequence: true}
batch: {global: 64, micro: 1, sequence: 128}
schedule: 1f1b
"""
VARIANTS = {
    "a plain job": [],
    "recomputation": ["recompute=full"],
    "ZeRO 1": ["parallel.zero=1"],
    "fp32": ["precision=fp32"],
    "fp16": ["precision=fp16", "gradients=fp16"],
    "more replicas": ["parallel.pipeline=1", "parallel.data=8"],
    "constants": ["model.constants={rope_theta: 500000, rms_norm_eps: 1.0e-6, initializer_range: 0.01}"],
    "grouped queries": ["model.transformer.kv_heads=2"],
    "fp8": ["precision=fp8"],
    "gathered maxima": ["precision={fp8: delayed, amax: tensor}"],
    "inputs kept in fp8": ["kept.activation_inputs=fp8"],
    "weights that are cut": ["parallel.pipeline=1", "parallel.data=8", "parallel.zero=3", "framework=torchtitan",
                             "parallel.sequence=false", "gradients=bf16"],
}
# Without ZeRO DeepSpeed reduces gradients after the last backward pass, and under bf16 shards its
# optimizer's state all the same.
FRAMEWORKS = {
    "megatron-args": ["framework=megatron"],
    "nanotron": ["framework=nanotron"],
    "primus": ["framework=megatron"],
    "deepspeed": ["framework=deepspeed", "overlap.data=false", "parallel.zero=1"],
    "accelerate": ["framework=megatron"],
}
PYTHON = {"bool": bool, "int": int, "str": str, "list": list, "map": dict}


def table(name):
    with open(f"{HERE}/arguments/{name}.yaml", encoding="utf-8") as file:
        return yaml.safe_load(file)


def misfit(known, name, value):
    """Returns what the framework would say of `name`, or nothing."""
    entry = known["keys"].get(name)
    if not entry:
        return f"{name} is no key"
    if entry["to"] != known["newest"]:
        return f"{name} is a key of the past ({entry['to']})"
    kind = entry.get("type")
    if kind in (None, "any") or value is None:
        return None
    fits = isinstance(value, (int, float)) if kind == "float" else isinstance(value, PYTHON[kind])
    if kind == "int" and isinstance(value, bool):
        fits = False
    return None if fits else f"{name}: {value} is no {kind}"


def leaves(document, prefix=""):
    for key, value in document.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def of_nanotron(text):
    known = table("nanotron")
    return [misfit(known, name, value) for name, value in leaves(yaml.safe_load(text))]


def of_accelerate(text):
    known = table("accelerate")
    wrong = []
    for path, value in leaves(yaml.safe_load(text)):
        *sections, last = path.split(".")
        wrong += [misfit(known, section, {}) for section in sections]
        wrong.append(misfit(known, last, value))
    return wrong


def of_primus(text, megatron):
    known = table("primus")
    overrides = yaml.safe_load(text)["modules"]["pre_trainer"]["overrides"]
    return [
        misfit(known, name, value)
        for name, value in leaves(overrides)
        if name in known["keys"] or name.replace("_", "-") not in megatron
    ]


def of_megatron(text, megatron):
    words = shlex.split(re.search(r"^ARGS=\((.*?)^\)", text, re.S | re.M).group(1))
    newest = megatron["num-layers"]["to"]
    while words:
        name = words.pop(0).removeprefix("--")
        values = []
        while words and not words[0].startswith("--"):
            values.append(words.pop(0))
        entry = megatron.get(name, {"to": None})
        if entry["to"] != newest or entry.get("field"):
            yield f"--{name} is no argument of today's command line"
        else:
            yield misfit_of_values(name, values, entry)


def misfit_of_values(name, values, entry):
    """Returns what argparse would say of the values of an argument, or nothing."""
    least, most = {"flag": (0, 0), "one": (1, 1), "maybe": (0, 1), "some": (1, 1000)}[entry["takes"]]
    if not least <= len(values) <= most:
        return f"--{name} takes {entry['takes']}, and not {values}"
    for value in values:
        try:
            {"int": int, "float": float}.get(entry.get("type"), str)(value)
        except ValueError:
            return f"--{name}: {value} is no {entry['type']}"
        if value not in entry.get("choices", [value]):
            return f"--{name}: {value} is none of {entry['choices']}"
    return None


def of_deepspeed(text):
    known = table("deepspeed")
    config = json.loads(re.search(r"<<'EOF'\n(.*?)EOF", text, re.S).group(1))
    wrong = []
    for path, value in leaves(config):
        *sections, last = path.split(".")
        wrong += [misfit(known, section, None) for section in sections]
        wrong.append(misfit(known, last, value))
    words = shlex.split(re.search(r"^ARGS=\((.*?)^\)", text, re.S | re.M).group(1))
    return wrong + of_arguments(words)


def of_arguments(words):
    """Megatron-DeepSpeed adds DeepSpeed's own --deepspeed and --deepspeed_config."""
    known = table("megatron_deepspeed")
    wrong = []
    while words:
        name = words.pop(0).removeprefix("--")
        values = []
        while words and not words[0].startswith("--"):
            values.append(words.pop(0))
        if name in ("deepspeed", "deepspeed_config"):
            continue
        wrong.append(misfit(known, name, None))
        kind = known["keys"].get(name, {}).get("type")
        if kind == "flag" and values or kind in ("int", "float", "str") and len(values) != 1:
            wrong.append(f"--{name} {values} does not fit {kind}")
        elif kind in ("int", "float"):
            {"int": int, "float": float}[kind](values[0])
    return wrong


def check_catalogue(pipewright, megatron):
    """Whatever transformer of the catalogue Megatron-LM can be given is given in its own words."""
    listed = subprocess.run([pipewright, "list", "models"], capture_output=True, text=True, check=True)
    wrong, written = [], 0
    for model in re.findall(r"^  (\S+)", listed.stdout, re.M):
        text = EXPERIMENT.replace(EXPERIMENT[:EXPERIMENT.index("cluster:")], f"model: {model}\n")
        result = subprocess.run([pipewright, "export", "megatron-args", "-"], input=text, capture_output=True,
                                text=True, check=False)
        if result.returncode == 2:
            continue  # what Megatron-LM cannot say
        written += 1
        wrong += [f"{model}: {line}" for line in of_megatron(result.stdout, megatron) if line]
    tap.ok(not wrong, "Megatron-LM knows all that models of the catalogue are written with", "\n".join(wrong))
    tap.ok(written >= 40, "most transformers of the catalogue are written", str(written))


def main():
    pipewright, arguments = sys.argv[1:]
    with open(arguments, encoding="utf-8") as file:
        megatron = yaml.safe_load(file)["arguments"]
    readers = {
        "megatron-args": lambda text: of_megatron(text, megatron),
        "nanotron": of_nanotron,
        "primus": lambda text: of_primus(text, megatron),
        "deepspeed": of_deepspeed,
        "accelerate": of_accelerate,
    }
    check_catalogue(pipewright, megatron)
    for kind, reader in readers.items():
        written = 0
        for name, changes in VARIANTS.items():
            sets = [word for change in FRAMEWORKS[kind] + changes for word in ("--set", change)]
            result = subprocess.run([pipewright, "export", kind, "-", *sets], input=EXPERIMENT,
                                    capture_output=True, text=True, check=False)
            if result.returncode == 2:
                continue  # what the framework cannot say
            written += 1
            wrong = [line for line in reader(result.stdout) if line]
            tap.ok(result.returncode == 0 and not wrong, f"{kind} knows all of {name}", "\n".join(wrong))
        tap.ok(written >= 4, f"most variants are written for {kind}", f"{written} of {len(VARIANTS)}")
    tap.done()


main()
