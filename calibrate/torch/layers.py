"""Whole layers in training: seconds of a pass, power and clock, and each kernel as it runs there."""

import collections

import torch
from torch.profiler import ProfilerActivity, profile

from blocks import Gpt, Llama, stack
from timing import burst, steady

MODELS = (
    # name, layers, what makes one, batch, tokens, hidden, compiled
    ("llama-2048", 6, lambda: Llama(2048, 8192, 16, 16, 4096), 4, 4096, 2048, False),
    ("llama-4096", 4, lambda: Llama(4096, 14336, 32, 8, 8192), 1, 8192, 4096, False),
    ("llama-4096", 4, lambda: Llama(4096, 14336, 32, 8, 8192), 1, 8192, 4096, True),
    ("llama-8192", 2, lambda: Llama(8192, 28672, 64, 8, 8192), 1, 8192, 8192, False),
    ("gpt-2048", 4, lambda: Gpt(2048, 16, 2048), 4, 2048, 2048, False),
)


def _kernels(body):
    """(kernel's name) -> [calls, microseconds] of one call of `body` in the middle of a run."""
    for _ in range(20):
        body()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(5):
            body()
        torch.cuda.synchronize()
    sums = collections.defaultdict(lambda: [0, 0.0])
    for event in trace.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            sums[event.name][0] += 1
            sums[event.name][1] += event.device_time
    return {name: (calls / 5, us / 5) for name, (calls, us) in sums.items()}


def layers(rows, sampler):
    """A forward and a backward pass of each model over and over, weights' gradients added up."""
    for name, count, make, batch, tokens, hidden, compiled in MODELS:
        shape = {"model": name, "layers": count, "batch": batch, "tokens": tokens, "compiled": int(compiled)}
        try:
            model = stack(count, make)
            run = torch.compile(model) if compiled else model
            x = torch.randn(batch, tokens, hidden, device="cuda", dtype=torch.bfloat16, requires_grad=True)
            dy = torch.randn_like(x)

            def step():
                run(x).backward(dy)

            step()
            short = burst(step, total=25e-3)
            seconds, watts, clock, heat, reasons = steady(step, sampler, run_seconds=4.0)
            rows.add("layers", "step", "bf16", "burst", shape, short)
            rows.add(
                "layers", "step", "bf16", "steady", shape, seconds, watts=watts, mhz=clock,
                note=f"celsius={heat:g} reasons={reasons:#x}",
            )  # fmt: skip
            for kernel, (calls, us) in sorted(_kernels(step).items(), key=lambda item: -item[1][1])[:60]:
                rows.add("layers", "kernel", "bf16", "both", shape, us * 1e-6 / max(calls, 1e-9), note=f"calls={calls:g} {kernel[:160]}")
        except Exception as error:
            rows.add("layers", "step", "bf16", "both", shape, note=f"failed: {str(error)[:200]}")
        model = run = x = dy = None
        torch.cuda.empty_cache()
