"""Fused attention, forward and backward, by backend, head dimension and length."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from timing import burst

BACKENDS = {"flash2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
SHAPES = (
    # batch, heads, key heads, tokens, head dimension, head dimension of values
    (8, 16, 16, 2048, 64, 64),
    (4, 32, 32, 2048, 80, 80),
    (4, 32, 32, 2048, 96, 96),
    (4, 32, 32, 2048, 128, 128),
    (4, 32, 8, 2048, 128, 128),
    (2, 32, 8, 4096, 128, 128),
    (1, 32, 8, 8192, 128, 128),
    (1, 8, 1, 8192, 128, 128),
    (1, 8, 1, 32768, 128, 128),
    (1, 16, 16, 4096, 192, 128),
    (1, 16, 8, 4096, 256, 256),
)


def _tensors(batch, heads, kv_heads, tokens, head, value):
    def tensor(count, width):
        t = torch.randn(batch, count, tokens, width, device="cuda", dtype=torch.bfloat16)
        return t.requires_grad_()

    return tensor(heads, head), tensor(kv_heads, head), tensor(kv_heads, value)


def attention(rows):
    """Causal attention of every shape by every backend that takes it."""
    for batch, heads, kv_heads, tokens, head, value in SHAPES:
        q, k, v = _tensors(batch, heads, kv_heads, tokens, head, value)
        shape = dict(batch=batch, heads=heads, kv=kv_heads, tokens=tokens, head=head, value=value)
        flops = float(batch * heads * tokens * (tokens + 1) * (head + value))
        for name, backend in BACKENDS.items():
            with sdpa_kernel(backend):

                def forward():
                    return scaled_dot_product_attention(
                        q, k, v, is_causal=True, enable_gqa=heads != kv_heads
                    )

                rows.tried(
                    lambda: burst(forward), "attention", name, "bf16", "forward", shape,
                    flops=flops,
                )  # fmt: skip
                rows.tried(
                    lambda: _backward_seconds(forward, (q, k, v)),
                    "attention", name, "bf16", "backward", shape, flops=2.5 * flops,
                )  # fmt: skip


def _backward_seconds(forward, inputs):
    y = forward()
    dy = torch.randn_like(y)
    return burst(lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True))
