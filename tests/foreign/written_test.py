#!/usr/bin/env python3
"""Writes models of the catalogue and jobs of jobs.yaml for every framework and reads them again. What is
read is the experiment that was written, or the head of what is written says what it leaves out. TAP.
  usage: written_test.py PIPEWRIGHT"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import tap  # noqa: E402

MODELS = os.path.join(HERE, "..", "..", "workloads", "models")
FRAMEWORKS = {"megatron-args": "sh", "megatron-bridge": "yaml", "nemo": "yaml", "primus": "yaml",
              "torchtitan": "toml", "nanotron": "yaml", "accelerate": "yaml", "deepspeed": "sh"}
# Names that the library has for one thing (transformers 4.57, its configuration classes).
NAMES = [{"rope_theta", "rotary_emb_base"}, {"partial_rotary_factor", "rotary_pct"},
         {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"},
         {"hidden_act", "activation_function", "hidden_activation"}]
# Without a pipeline weights are given up after the forward pass; nothing gathers them beside it.
USUAL = {"parallel": {"reshard": True}, "overlap": {"weights": False}}
# What a job says nothing about: the machine, and how it is predicted.
SURROUNDINGS = {"cluster", "framework", "attention", "data", "update", "kernels", "loss"}


def run(pipewright, *words):
    return subprocess.run([pipewright, *words], capture_output=True, text=True, check=False)


def plain(value):
    """A value as all frameworks would write it: 1e-05 is 0.00001, which YAML calls a text."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    try:
        return float(value) if not isinstance(value, bool) else value
    except (TypeError, ValueError):
        return value


def same_name(key):
    return next((names for names in NAMES if key in names), {key})


def lost(constants, written, read):
    """The constants that neither the job says nor its head."""
    def is_there(key, value):
        if re.search(rf"^# not written: {key} ", written, re.MULTILINE):
            return True
        return any(plain(read[name]) == plain(value) for name in same_name(key) if name in read)

    return [f"{key}: {value}" for key, value in constants.items() if not is_there(key, value)]


def constants_of(experiment):
    return (experiment.get("model") or {}).get("constants") or {}


class Bench:
    def __init__(self, pipewright, folder):
        self.pipewright, self.folder = pipewright, folder

    def write(self, kind, experiment):
        """The job, and its experiment when it is read; None where the framework cannot say it."""
        path, job = f"{self.folder}/e.yaml", f"{self.folder}/job.{FRAMEWORKS[kind]}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(experiment)
        if run(self.pipewright, "export", kind, path, "-o", job).returncode != 0:
            return None
        with open(job, encoding="utf-8") as file:
            written = file.read()
        read = run(self.pipewright, "import", kind, job)
        return written, yaml.safe_load(read.stdout) if read.returncode == 0 else read.stderr


def check_models(bench):
    for path in sorted(glob.glob(f"{MODELS}/*.yaml")):
        name = os.path.basename(path)[:-5]
        with open(path, encoding="utf-8") as file:
            model = yaml.safe_load(file)
        if "constants" not in model:
            continue
        experiment = (f"model: {name}\ncluster: {{node: dgx-h100, nodes: 1}}\nparallel: {{data: 8}}\n"
                      "batch: {global: 8, micro: 1, sequence: 1024}\nschedule: 1f1b\n")
        for kind in FRAMEWORKS:
            result = bench.write(kind, experiment)
            if result is None:
                continue
            missing = lost(model["constants"], result[0], constants_of(result[1]))
            tap.ok(not missing, f"{kind} says the constants of {name}, or that it does not",
                   "\n".join(missing))


def differences(first, again):
    """The keys that do not say the same. What holds where nobody says it may be said, or not."""
    def said(experiment, key):
        value = plain(experiment.get(key))
        usual = dict(USUAL.get(key, {}))
        # A job that does not say its tokens has those of its model, and is written with them.
        if key == "batch" and "sequence" not in (first.get("batch") or {}):
            usual["sequence"] = (again.get("batch") or {}).get("sequence")
        return {k: v for k, v in value.items() if usual.get(k) != v} if isinstance(value, dict) else value

    return [f"{key}: {first.get(key)} became {again.get(key)}"
            for key in sorted((set(first) | set(again)) - SURROUNDINGS - {"model"})
            if said(first, key) != said(again, key)]


def carried(experiment, kind):
    """The keys that comments of an imported experiment keep for jobs of `kind`, by their last names."""
    yaml_text = "\n".join(line[7:] for line in experiment.splitlines() if line.startswith("# job| "))
    names = []

    def add(value):
        for key, one in value.items():
            if key == "step":  # by which numbers of steps are counted
                continue
            if isinstance(one, dict) and one:
                add(one)
            elif key != "left":
                names.append(str(key))

    add((yaml.safe_load(yaml_text) or {}).get(kind) or {})
    return names


def dropped(experiment, kind, written):
    """What an import carries and the job that is written neither says nor names as not written."""
    return [name for name in carried(experiment, kind) if not re.search(rf"\b{re.escape(name)}\b", written)]


def check_jobs(bench):
    with open(f"{HERE}/jobs.yaml", encoding="utf-8") as file:
        jobs = yaml.safe_load(file)["jobs"]
    for job in jobs:
        kind = job["kind"]
        if kind not in FRAMEWORKS:
            continue
        text = run(bench.pipewright, "import", kind, f"{HERE}/jobs/{job['file']}", *job["options"]).stdout
        result = bench.write(kind, text)
        if result is None:
            continue
        first, (written, again) = yaml.safe_load(text), result
        found = [again] if isinstance(again, str) else differences(first, again)
        found += lost(constants_of(first), written, constants_of(again)) if not found else []
        tap.ok(not found, f"{job['file']} is the same experiment when it is written", "\n".join(found))
        lost_keys = dropped(text, kind, written)
        tap.ok(not lost_keys, f"what {job['file']} says beside it is written", "\n".join(lost_keys))


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], folder)
        check_models(bench)
        check_jobs(bench)
    tap.done()


main()
