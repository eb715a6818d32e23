#!/usr/bin/env python3
"""Trains a Llama on eight ranks that share one GPU and writes a trace of each.

    ranks.py FOLDER [SCHEDULE ...]

Two pipeline ranks, two replicas under PyTorch's second FSDP and two tensor ranks, over NCCL, which
takes the ranks for eight hosts. SCHEDULE is one or more of those in `SCHEDULES`; without it all run.
FOLDER/SCHEDULE/rankN.json.gz are traces of a step. The ranks take turns on the GPU, so times say
nothing of a cluster. Names, groups and orders are those of a real job.
"""

import os
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining import PipelineStage, schedules
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.profiler import ProfilerActivity, profile

from blocks import Llama

PIPELINE, DATA, TENSOR = 2, 2, 2
WORLD = PIPELINE * DATA * TENSOR
LAYERS, HIDDEN, FFN, HEADS, KV_HEADS, TOKENS, VOCABULARY = 8, 1024, 2816, 16, 8, 1024, 8192
MICRO_BATCHES = 4  # of a sequence each

# name: (class of PyTorch, how stages are dealt out)
SCHEDULES = {
    "gpipe": ("ScheduleGPipe", "one"),
    "1f1b": ("Schedule1F1B", "one"),
    "interleaved-1f1b": ("ScheduleInterleaved1F1B", "loop"),
    "zb-v": ("ScheduleZBVZeroBubble", "v"),
}


class Part(nn.Module):
    """The layers of a stage, with the embedding before the first and the head behind the last."""

    def __init__(self, stage, stages):
        super().__init__()
        first, last = stage == 0, stage == stages - 1
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN) if first else None
        self.layers = nn.ModuleList(Llama(HIDDEN, FFN, HEADS, KV_HEADS, TOKENS) for _ in range(LAYERS // stages))
        self.norm = nn.RMSNorm(HIDDEN) if last else None
        self.head = nn.Linear(HIDDEN, VOCABULARY, bias=False) if last else None

    def forward(self, x):
        x = self.embedding(x) if self.embedding is not None else x
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)) if self.head is not None else x


def _part(stage, stages, mesh):
    """A stage, cut over tensor ranks and sharded over replicas."""
    with torch.device("cuda"):
        part = Part(stage, stages).to(torch.bfloat16)
    cuts = {name: ColwiseParallel() for name in ("q", "k", "v", "gate", "up")}
    cuts |= {name: RowwiseParallel() for name in ("o", "down")}
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in part.layers:
        parallelize_module(layer, mesh["tensor"], cuts)
        layer.heads //= TENSOR
        layer.kv_heads //= TENSOR
        fully_shard(layer, mesh=mesh["data"], mp_policy=policy, reshard_after_forward=False)
    return fully_shard(part, mesh=mesh["data"], mp_policy=policy, reshard_after_forward=False)


def _loss(logits, labels):
    return nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def _stages(mesh, dealt):
    """The stages of this rank: one, every PIPELINE-th, or the k-th from both ends."""
    rank = mesh["pipeline"].get_local_rank()
    stages = PIPELINE if dealt == "one" else 2 * PIPELINE
    own = {"one": (rank,), "loop": (rank, rank + PIPELINE), "v": (rank, stages - 1 - rank)}[dealt]
    group = mesh.get_group("pipeline")
    return [PipelineStage(_part(i, stages, mesh), i, stages, torch.device("cuda"), group=group) for i in own]


def _stepper(name, mesh):
    """One iteration under a schedule as a call."""
    kind, dealt = SCHEDULES[name]
    stages = _stages(mesh, dealt)
    schedule = getattr(schedules, kind)(stages[0] if dealt == "one" else stages, MICRO_BATCHES, loss_fn=_loss)
    weights = [weight for stage in stages for weight in stage.submod.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, foreach=False)  # tensors of unlike meshes do not mix
    ids = torch.randint(VOCABULARY, (MICRO_BATCHES, TOKENS), device="cuda")
    first, last = any(stage.is_first for stage in stages), any(stage.is_last for stage in stages)

    def step():
        schedule.step(*([ids] if first else []), **({"target": ids, "losses": []} if last else {}))
        optimizer.step()
        optimizer.zero_grad()

    return step


def _traced(step, path):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=torch.profiler.schedule(wait=0, warmup=1, active=1, repeat=1)) as trace:  # fmt: skip
        for _ in range(2):
            step()
            torch.cuda.synchronize()
            trace.step()
    trace.export_chrome_trace(path)


def _rank(rank, store, folder, names):
    os.environ["NCCL_HOSTID"] = f"host{rank}"
    torch.cuda.set_device(0)
    dist.init_process_group("nccl", store=dist.FileStore(store, WORLD), rank=rank, world_size=WORLD)
    mesh = init_device_mesh("cuda", (PIPELINE, DATA, TENSOR), mesh_dim_names=("pipeline", "data", "tensor"))
    for name in names:
        step = _stepper(name, mesh)
        for _ in range(2):
            step()
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        _traced(step, f"{folder}/{name}/rank{rank}.json.gz")
        dist.barrier()
        if rank == 0:
            print(f"ranks: {name}", flush=True)
    os._exit(0)  # the groups of eight ranks that share a GPU take long to part


def main(folder, names):
    unknown = [name for name in names if name not in SCHEDULES]
    if unknown:
        sys.exit(f"ranks.py: no schedule '{unknown[0]}': one of {' '.join(SCHEDULES)}")
    os.environ.update(NCCL_SOCKET_IFNAME="lo", NCCL_IB_DISABLE="1", NCCL_MAX_NCHANNELS="2", OMP_NUM_THREADS="1")
    store = tempfile.mktemp()
    torch.multiprocessing.spawn(_rank, (store, folder, names or list(SCHEDULES)), nprocs=WORLD)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
