#!/usr/bin/env python3
"""Imports the jobs of jobs.yaml and holds what comes of them to what their frameworks would use. TAP.
  usage: foreign_test.py PIPEWRIGHT"""
import os
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import tap  # noqa: E402


def at(document, path):
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def differences(job, pipewright, kind):
    command = [pipewright, "import", *kind, f"{HERE}/jobs/{job['file']}", *job["options"]]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return [result.stderr.strip()]
    document = yaml.safe_load(result.stdout)
    return [
        f"{path} is {at(document, path)}, not {value}"
        for path, value in job["read"].items()
        if at(document, path) != value
    ]


def main():
    with open(f"{HERE}/jobs.yaml", encoding="utf-8") as file:
        jobs = yaml.safe_load(file)["jobs"]
    for job in jobs:
        named = differences(job, sys.argv[1], [job["kind"]])
        tap.ok(not named, f"{job['file']} is read as its framework would", "\n".join(named))
        found = differences(job, sys.argv[1], [])
        tap.ok(not found, f"{job['file']} says what it is", "\n".join(found))
    tap.done()


main()
