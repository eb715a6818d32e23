#!/usr/bin/env python3
"""Imports scripts of Megatron-LM, plans them anew at random (degrees, sharding, precision, batch, overlap)
and holds every script that is written to what Megatron-LM asserts: megatron_asserts.py. TAP.
  usage: asserts_test.py PIPEWRIGHT    PIPEWRIGHT_SEED repeats a run, PIPEWRIGHT_PLANS says how many plans"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, HERE)
import tap  # noqa: E402
from megatron_asserts import broken  # noqa: E402

SIZES = """--num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --bf16
--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 128 --tokenizer-type NullTokenizer
--vocab-size 32000 --swiglu --position-embedding-type rope --normalization RMSNorm --disable-bias-linear
--untie-embeddings-and-output-weights --lr 1e-4 --transformer-impl transformer_engine"""
EXPERTS = """--num-experts 16 --moe-router-topk 2 --moe-grouped-gemm --expert-model-parallel-size 4
--moe-token-dispatcher-type alltoall --expert-tensor-parallel-size 1"""
# Each starts as it stands, and has what another plan cannot have beside it.
SCRIPTS = {
    "tensor and sequence parallelism": f"""{SIZES} --group-query-attention --num-query-groups 4
        --tensor-model-parallel-size 4 --sequence-parallel --tp-comm-overlap --use-distributed-optimizer
        --overlap-grad-reduce --overlap-param-gather --train-iters 1000 --lr-decay-iters 900
        --lr-warmup-iters 100 --eval-global-batch-size 64 --attention-backend fused""",
    "Megatron-FSDP": f"""{SIZES} --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params
        --ckpt-format fsdp_dtensor --init-model-with-meta-device --no-gradient-accumulation-fusion
        --use-distributed-optimizer --overlap-grad-reduce --train-samples 100000 --lr-decay-samples 90000""",
    "experts in fp8": f"""{SIZES} {EXPERTS} --tensor-model-parallel-size 2 --sequence-parallel
        --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2 --fp8-format hybrid
        --fp8-recipe tensorwise --fp8-param-gather --use-distributed-optimizer --overlap-grad-reduce
        --moe-router-padding-for-fp8 --overlap-moe-expert-parallel-comm""",
    "long sequences": f"""{SIZES} --context-parallel-size 4 --recompute-granularity full
        --recompute-method uniform --recompute-num-layers 1 --save-params-interval 100
        --check-weight-hash-across-dp-replicas-interval 100 --ckpt-format torch""",
}
# Keys, their values, and how often they change.
CHANGES = [
    ("parallel.tensor", [1, 2, 4, 8], 0.6), ("parallel.pipeline", [1, 2, 4], 0.5),
    ("parallel.context", [1, 2], 0.4), ("parallel.zero", [0, 1, 2, 3], 0.6), ("cluster.nodes", [2, 4, 8], 0.6),
    ("parallel.sequence", ["true", "false"], 0.2), ("parallel.expert", [1, 2, 8], 0.2),
    ("precision", ["bf16", "fp16", "fp8", "fp32", "nvfp4", "{fp8: mxfp8}", "{fp8: blockwise}"], 0.3),
    ("recompute", ["none", "full", "selective", "{modules: [mlp]}", "{modules: [layernorm]}"], 0.3),
    ("overlap.data", ["true", "false"], 0.3), ("overlap.weights", ["true", "false"], 0.3),
    ("overlap.tensor", ["none", "chunked"], 0.2), ("overlap.p2p", ["async", "rendezvous"], 0.2),
    ("optimizer", ["adam", "sgd", "muon"], 0.2), ("offload", ["none", "optimizer"], 0.2),
    ("batch.micro", [1, 2], 0.2), ("weights", ["fp8"], 0.1), ("moments", ["bf16"], 0.1),
    ("gradients", ["bf16", "fp32"], 0.2), ("cluster.node", ["dgx-h100", "dgx-b200"], 0.9),
]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def changes(rng):
    chosen = {key: rng.choice(values) for key, values, often in CHANGES if rng.random() < often}
    if rng.random() < 0.4:
        chosen["parallel.virtual"] = stages = rng.choice([1, 2])
        chosen["schedule"] = "1f1b" if stages == 1 else "interleaved-1f1b"
    return chosen


class Bench:
    def __init__(self, pipewright, folder):
        self.pipewright, self.folder = pipewright, folder

    def script(self, name, arguments):
        path = f"{self.folder}/{name.replace(' ', '-')}.sh"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\nexport NCCL_DEBUG=WARN\nARGS=(\n{arguments}\n)\n"
                       'torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py "${ARGS[@]}"\n')
        result = run(self.pipewright, "import", "megatron-args", path)
        tap.ok(result.returncode == 0, f"{name} is read", result.stderr)
        return path

    def written(self, script, changed):
        """The script of a plan, or None where Megatron-LM cannot run it. Replicas fill the cluster."""
        experiment, job = f"{self.folder}/plan.yaml", f"{self.folder}/out.sh"
        sets = [word for key, value in changed.items() for word in ("--set", f"{key}={value}")]
        read = run(self.pipewright, "import", "megatron-args", script, "-o", experiment, *sets)
        if read.returncode == 2:
            return None
        if read.returncode != 0:
            raise RuntimeError(read.stderr)
        result = run(self.pipewright, "export", "megatron-args", experiment, "-o", job)
        if result.returncode == 2:
            return None
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        with open(job, encoding="utf-8") as file:
            return file.read()


def check(bench, name, source, rng, plans):
    stops, written = collections.Counter(), 0
    for _ in range(plans):
        changed = changes(rng)
        script = bench.written(source, changed)
        if script is None:
            continue
        written += 1
        # What an import assumes is a DGX H100.
        is_blackwell = changed.get("cluster.node") == "dgx-b200"
        for line in broken(script, is_blackwell):
            stops[f"{line} ({changed})"] += 1
    tap.ok(not stops, f"scripts of {name} start", "\n".join(stops))
    tap.ok(written * 8 >= plans, f"many plans of {name} are written", f"{written} of {plans}")


def check_rules():
    """Every argument list that stands here breaks no assertion, and some broken ones break theirs."""
    text = '#!/bin/bash\n{}ARGS=(\n{}\n)\ntorchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py "${{ARGS[@]}}"\n'
    for name, arguments in SCRIPTS.items():
        shares = re.search(r"--(tensor-model|context)-parallel-size [248]", arguments)
        one = "" if not shares or "--overlap-moe" in arguments else "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
        lines = broken(text.format(one, arguments), False)
        tap.ok(not lines, f"the assertions let {name} start", "\n".join(lines))
    wrong = {"--tp-comm-overlap": "sequence parallelism", "--ckpt-format fsdp_dtensor": "checkpoints",
             "--init-model-with-meta-device": "in parts", "--tensor-model-parallel-size 3": "heads",
             "--fp16": "half formats", "--lr-decay-samples 9 --train-iters 9": "rates in iters"}
    for argument, part in wrong.items():
        lines = broken(text.format("", f"{SIZES} {argument}"), False)
        tap.ok(any(part in line for line in lines), f"the assertions stop {argument}", "\n".join(lines))


def main():
    seed = int(os.environ.get("PIPEWRIGHT_SEED", "20"))
    plans = int(os.environ.get("PIPEWRIGHT_PLANS", "60"))
    print(f"# PIPEWRIGHT_SEED={seed}")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], folder)
        check_rules()
        for name, arguments in SCRIPTS.items():
            check(bench, name, bench.script(name, arguments), rng, plans)
    tap.done()


main()
