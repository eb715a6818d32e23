"""What the host takes to start operators: PyTorch's, a layer's, an optimizer's, a collective's.

Tensors are so small that the device is never behind. Seconds are of the host's clock, without the
wait for the device at the end.
"""

import collections
import os
import statistics
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from blocks import Gpt, Llama, stack


def _host_seconds(body, calls, rounds=5):
    """Median seconds of the host for a call of `body`, the device idle at the start of each round."""
    body()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            body()
        times.append((time.perf_counter() - begin) / calls)
    torch.cuda.synchronize()
    return statistics.median(times)


class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return dy + x


def _operators(rows):
    x = torch.randn(64, 64, device="cuda", dtype=torch.bfloat16)
    g = torch.randn(64, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    w, b = torch.randn_like(g), torch.randn(64, device="cuda", dtype=torch.bfloat16)
    linear = nn.Linear(64, 64).to("cuda", torch.bfloat16)
    norm = nn.LayerNorm(64).to("cuda", torch.bfloat16)
    heads = torch.randn(1, 4, 64, 64, device="cuda", dtype=torch.bfloat16)
    y = torch.empty_like(x)
    bodies = {
        "add": lambda: x + x,
        "add_out": lambda: torch.add(x, x, out=y),
        "add_grad": lambda: g + g,
        "view": lambda: x.view(32, 128),
        "transpose_grad": lambda: g.transpose(0, 1),
        "matmul": lambda: torch.mm(x, x),
        "linear_bias": lambda: F.linear(x, w, b),
        "linear_module_grad": lambda: linear(g),
        "layer_norm_module_grad": lambda: norm(g),
        "softmax": lambda: F.softmax(x, dim=-1),
        "dropout_grad": lambda: F.dropout(g, 0.1, True),
        "to_fp32": lambda: x.float(),
        "empty": lambda: torch.empty(64, 64, device="cuda"),
        "attention": lambda: F.scaled_dot_product_attention(heads, heads, heads, is_causal=True),
        "autograd_function": lambda: _Twice.apply(g),
    }
    for name, body in bodies.items():
        rows.tried(lambda: _host_seconds(body, 200), "host", name, "bf16", "forward", {})
    rows.tried(lambda: _host_seconds(lambda: x[0, 0].item(), 50), "host", "item", "bf16", "forward", {})
    rows.tried(lambda: _host_seconds(torch.cuda.synchronize, 50), "host", "synchronize", "", "forward", {})


def _backward_seconds(model, x, dy):
    """Median seconds of forward and of backward on the host. Backward runs in a thread of autograd."""
    forward, backward = [], []
    for _ in range(12):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        y = model(x)
        middle = time.perf_counter()
        y.backward(dy)
        end = time.perf_counter()
        forward.append(middle - begin)
        backward.append(end - middle)
    torch.cuda.synchronize()
    return statistics.median(forward[2:]), statistics.median(backward[2:])


def _counts(model, x, dy):
    """(operators, launches) of forward and backward together, as the profiler counts them."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as trace:
        model(x).backward(dy)
        torch.cuda.synchronize()
    names = collections.Counter(event.name for event in trace.events())
    operators = sum(n for name, n in names.items() if name.startswith("aten::"))
    launches = sum(n for name, n in names.items() if "LaunchKernel" in name or "MemcpyAsync" in name or "MemsetAsync" in name)
    return operators, launches


def _layer(rows, name, layers, make, hidden, wrap=lambda model: model):
    shape = {"layers": layers}
    try:
        model = wrap(stack(layers, make))
        x = torch.randn(1, 16, hidden, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        dy = torch.randn_like(x)
        for _ in range(3):
            model(x).backward(dy)
        forward, backward = _backward_seconds(model, x, dy)
        operators, launches = _counts(model, x, dy)
    except Exception as error:
        rows.add("host", name, "bf16", "both", shape, note=f"failed: {str(error)[:200]}")
        return
    note = f"operators={operators / layers:g} launches={launches / layers:g}"
    rows.add("host", name, "bf16", "forward", shape, forward / layers, note=f"a layer; both: {note}")
    rows.add("host", name, "bf16", "backward", shape, backward / layers, note="a layer")


def _layers(rows):
    _layer(rows, "llama", 16, lambda: Llama(128, 256, 4, 4, 16), 128)
    _layer(rows, "gpt", 16, lambda: Gpt(128, 4, 16), 128)
    _layer(rows, "llama_compiled", 4, lambda: Llama(128, 256, 4, 4, 16), 128, torch.compile)


def _hugging_face(rows):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(hidden_size=128, intermediate_size=256, num_hidden_layers=16, num_attention_heads=4,
                         num_key_value_heads=4, vocab_size=512)  # fmt: skip
    model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
    ids = torch.randint(512, (1, 16), device="cuda")
    forward, backward = [], []
    for _ in range(10):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = model(ids, labels=ids).loss
        middle = time.perf_counter()
        loss.backward()
        forward.append(middle - begin)
        backward.append(time.perf_counter() - middle)
    for direction, times in (("forward", forward), ("backward", backward)):
        rows.add("host", "hugging_face_llama", "bf16", direction, {"layers": 16}, statistics.median(times[2:]) / 16, note="a layer")


def _optimizer(rows):
    weights = [torch.zeros(16, 16, device="cuda", requires_grad=True) for _ in range(290)]
    for w in weights:
        w.grad = torch.zeros_like(w)
    for what, options in (("fused", {"fused": True}), ("foreach", {"foreach": True}), ("loop", {"foreach": False})):
        step = torch.optim.AdamW(weights, **options)
        rows.tried(lambda: _host_seconds(step.step, 2), "host", f"adamw_{what}", "fp32", "forward", {"tensors": 290})
    rows.tried(
        lambda: _host_seconds(lambda: torch.nn.utils.clip_grad_norm_(weights, 1.0), 2),
        "host", "clip_grad_norm", "fp32", "forward", {"tensors": 290},
    )  # fmt: skip


def _collectives(rows):
    """Calls of torch.distributed over a group of one, which pass through all of it and NCCL."""
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    before = torch.cuda.mem_get_info()[0]
    store = dist.FileStore(tempfile.mktemp(), 1)
    dist.init_process_group("nccl", store=store, rank=0, world_size=1)
    x, y = torch.zeros(1024, device="cuda"), torch.zeros(1024, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    rows.add("memory", "communicator", "", "", {"ranks": 1}, bytes=float(before - torch.cuda.mem_get_info()[0]))
    for name, body in {
        "all_reduce": lambda: dist.all_reduce(x),
        "all_reduce_async": lambda: dist.all_reduce(x, async_op=True).wait(),
        "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(y, x),
        "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(y, x),
        "all_to_all_single": lambda: dist.all_to_all_single(y, x),
        "broadcast": lambda: dist.broadcast(x, 0),
        "send_and_receive": lambda: [r.wait() for r in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 0), dist.P2POp(dist.irecv, y, 0)])],
    }.items():
        rows.tried(lambda: _host_seconds(body, 50), "host", name, "fp32", "forward", {"ranks": 1})


def _sharded(rows):
    """A stack under PyTorch's second FSDP, of one rank."""
    from torch.distributed.fsdp import fully_shard

    def wrap(model):
        for layer in model:
            fully_shard(layer)
        return fully_shard(model)

    _layer(rows, "llama_fsdp2", 16, lambda: Llama(128, 256, 4, 4, 16), 128, wrap)


def _graph(rows):
    x = torch.randn(64, 64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    y = x + 1
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(1000):
            y.add_(x)
    rows.tried(lambda: _host_seconds(graph.replay, 5), "host", "graph_of_1000", "fp32", "forward", {})

    def waited():
        graph.replay()
        torch.cuda.synchronize()

    rows.tried(lambda: _host_seconds(waited, 5), "host", "graph_of_1000_done", "fp32", "forward", {})


def _queue(rows):
    """How many launches the host may be ahead: the call that takes long is the one that waits."""
    x = torch.zeros(64, device="cuda")
    torch.cuda.synchronize()
    torch.cuda._sleep(int(0.3 * 1.7e9))
    depth = 0
    while depth < 20000:
        begin = time.perf_counter()
        x.add_(1)
        depth += 1
        if time.perf_counter() - begin > 2e-3:
            break
    torch.cuda.synchronize()
    rows.add("host", "launches_ahead", "", "forward", {}, note=f"launches={depth}")


def host(rows):
    """Everything that a host does, part by part."""
    for part in (_operators, _layers, _hugging_face, _optimizer, _graph, _queue, _collectives, _sharded):
        try:
            part(rows)
        except Exception as error:
            rows.add("host", part.__name__, "", "", {}, note=f"failed: {str(error)[:200]}")
