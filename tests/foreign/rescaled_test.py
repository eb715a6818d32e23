#!/usr/bin/env python3
"""Imports the jobs of jobs.yaml for other clusters and holds what comes of them to laws: degrees, micro-batches
and the work of a device stay, replicas fill the devices, and whatever was derived is said. TAP.
  usage: rescaled_test.py PIPEWRIGHT"""
import json
import os
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import tap  # noqa: E402

DEVICES = 512
EXACT = 1e-9


def imported(pipewright, job, *assignments):
    """The experiment and its comments, or nothing and the message."""
    words = [word for one in assignments for word in ("--set", one)]
    result = subprocess.run([pipewright, "import", job["kind"], f"{HERE}/jobs/{job['file']}", *job["options"], *words],
                            capture_output=True, text=True, check=False)
    return (yaml.safe_load(result.stdout), result.stdout) if result.returncode == 0 else (None, result.stderr)


def degree(experiment, name):
    value = experiment["parallel"].get(name, 1)
    return value.get("degree", 1) if isinstance(value, dict) else value


def devices(experiment):
    count = 1
    for name in ("tensor", "pipeline", "context", "data"):
        count *= degree(experiment, name)
    return count


def simulated(pipewright, text):
    result = subprocess.run([pipewright, "simulate", "-", "--quiet", "--json", "-"], input=text, capture_output=True,
                            text=True, check=False)
    return json.loads(result.stdout) if result.returncode == 0 else None


def tokens(experiment):
    training = experiment.get("training")
    return float(training["tokens"]) if training else None


def broken(before, after, head):
    """The laws that do not hold of a job that was put on other devices."""
    wrong = [f"{name} changed" for name in ("tensor", "pipeline", "context", "expert")
             if degree(before, name) != degree(after, name)]
    if devices(after) != DEVICES:
        wrong.append(f"{devices(after)} devices are used")
    for name in ("micro", "sequence"):
        if before["batch"].get(name) != after["batch"].get(name):
            wrong.append(f"batch.{name} changed")
    each, now = (job["batch"]["global"] / degree(job, "data") for job in (before, after))
    if each != now:
        wrong.append(f"a replica has {now} sequences, not {each}")
    if degree(before, "data") != degree(after, "data") and "# assumed: parallel.data is" not in head:
        wrong.append("nothing says how many replicas there are")
    if tokens(before) != tokens(after) and "# assumed: training.tokens is" not in head:
        wrong.append("nothing says that the training has other tokens")
    return wrong


def slower(before, after):
    """The laws that do not hold of both jobs as they run."""
    wrong = []
    # Useful FLOPs of a device in an iteration, in seconds at its peak.
    was, now = (run["mfu"] * run["iteration_time_s"] for run in (before, after))
    if abs(now - was) > EXACT * was:
        wrong.append(f"a device has work of {now} s, not {was}")
    # What replicas share of the optimizer's state is less where there are more of them.
    was, now = (run["iteration_time_s"] for run in (before, after))
    grows = devices(before["experiment"]) <= DEVICES
    if grows and now < was * (1 - EXACT) and before["experiment"]["parallel"].get("zero", 0) == 0:
        wrong.append(f"an iteration takes {now} s, less than {was}")
    return wrong


def check(pipewright, job):
    before, text = imported(pipewright, job)
    if not before or "nodes" not in before.get("cluster", {}):
        return
    after, head = imported(pipewright, job, f"cluster.devices={DEVICES}")
    if not after:
        tap.ok("multiple of" in head, f"{job['file']} is refused for its degrees on {DEVICES} devices", head)
        return
    wrong = broken(before, after, head)
    runs = simulated(pipewright, text), simulated(pipewright, head)
    if all(runs):
        wrong += slower(*runs)
    tap.ok(not wrong, f"{job['file']} keeps the work of a device on {DEVICES} devices", "\n".join(wrong))
    other, head = imported(pipewright, job, "cluster.node=gb200-nvl72")
    named = other and "does not say its cluster" not in head
    tap.ok(named, f"{job['file']} is said to be on the node that is named", head)


def main():
    with open(f"{HERE}/jobs.yaml", encoding="utf-8") as file:
        jobs = yaml.safe_load(file)["jobs"]
    for job in jobs:
        check(sys.argv[1], job)
    tap.done()


main()
