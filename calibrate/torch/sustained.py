"""What a kernel keeps of its rate when it runs for seconds, and the power and clock it runs at."""

import time

import torch
from torch.nn import functional as F

from timing import burst, steady


def _random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda").to(dtype)


def _linear(m, n, k):
    x, w = _random(m, k), _random(n, k)
    return lambda: F.linear(x, w), 2.0 * m * n * k


def _fp8(m, n, k):
    x, w = _random(m, k).to(torch.float8_e4m3fn), _random(n, k).to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    return (
        lambda: torch._scaled_mm(x, w, scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        2.0 * m * n * k,
    )


def _attention(backward):
    q, k, v = (_random(1, heads, 8192, 128).requires_grad_() for heads in (32, 8, 8))
    flops = 2.0 * 32 * 8192 * 8192 * 128

    def forward():
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    if not backward:
        return forward, flops
    y = forward()
    dy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, (q, k, v), dy, retain_graph=True), 2.5 * flops


def _copy():
    x, y = _random(1 << 29), _random(1 << 29)
    return lambda: y.copy_(x), 0.0


def _bodies():
    """(name, precision, shape, what makes the body and its FLOPs)."""
    sizes = ((2048, 4096, 4096), (8192, 4096, 4096), (8192, 28672, 4096), (16384, 28672, 8192))
    for m, n, k in sizes:
        yield "linear", "bf16", {"m": m, "n": n, "k": k}, lambda: _linear(m, n, k)
    for m, n, k in sizes[1:]:
        yield "scaled_mm", "fp8", {"m": m, "n": n, "k": k}, lambda: _fp8(m, n, k)
    shape = {"batch": 1, "heads": 32, "kv": 8, "tokens": 8192, "head": 128}
    yield "attention", "bf16", shape, lambda: _attention(backward=False)
    yield "attention_backward", "bf16", shape, lambda: _attention(backward=True)
    yield "copy", "bf16", {"numbers": 1 << 29}, _copy


def sustained(rows, sampler):
    """Each body as a burst after a second of idleness, then for three seconds without a break."""
    for what, precision, shape, make in _bodies():
        try:
            body, flops = make()
            body()
            torch.cuda.synchronize()
            time.sleep(1)
            short = burst(body)
            seconds, watts, clock, heat, reasons = steady(body, sampler)
        except Exception as error:
            rows.add("sustained", what, precision, "both", shape, note=f"failed: {str(error)[:120]}")
            continue
        rows.add("sustained", what, precision, "burst", shape, short, flops=flops)
        rows.add(
            "sustained", what, precision, "steady", shape, seconds, flops=flops, watts=watts,
            mhz=clock, note=f"celsius={heat:g} reasons={reasons:#x}",
        )  # fmt: skip
