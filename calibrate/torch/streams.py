"""Operators that are bound by memory, as PyTorch runs them one by one, and optimizers."""

import torch
from torch.nn import functional as F

from timing import burst

SIZES = ((1024, 2048), (2048, 4096), (8192, 4096), (8192, 8192), (16384, 8192))


def _backward(y, inputs):
    dy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)


def _pair(rows, what, make, inputs, numbers, width, dtype="bf16"):
    """Times `make()` and its gradient. `numbers` are read and written for each number of x: (of the
    forward pass, of the backward pass)."""
    size = inputs[0].numel() * inputs[0].element_size()
    shape = {"rows": inputs[0].numel() // width, "width": width}
    rows.tried(
        lambda: burst(make), "streams", what, dtype, "forward", shape, bytes=float(numbers[0] * size)
    )
    if numbers[1]:
        rows.tried(
            lambda: burst(_backward(make(), inputs)),
            "streams", what, dtype, "backward", shape, bytes=float(numbers[1] * size),
        )  # fmt: skip


def _rotated(x, cosine, sine):
    """Rotation of halves in 16 bits, as Hugging Face's and Megatron's unfused Llamas do it."""
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


def _of_size(rows, tokens, width):
    def tensor(*shape, grad=True):
        t = torch.randn(*(shape or (tokens, width)), device="cuda", dtype=torch.bfloat16)
        return t.requires_grad_(grad)

    x, r, w, b = tensor(), tensor(), tensor(width), tensor(width)
    _pair(rows, "layernorm", lambda: F.layer_norm(x, (width,), w, b), (x, w, b), (2, 4), width)
    _pair(rows, "rmsnorm", lambda: F.rms_norm(x, (width,), w), (x, w), (2, 4), width)
    _pair(rows, "gelu", lambda: F.gelu(x, approximate="tanh"), (x,), (2, 3), width)
    _pair(rows, "silu", lambda: F.silu(x), (x,), (2, 3), width)
    _pair(rows, "multiply", lambda: x * r, (x, r), (3, 5), width)
    _pair(rows, "add", lambda: x + r, (x, r), (3, 0), width)
    _pair(rows, "dropout", lambda: F.dropout(x, 0.1, True), (x,), (2.5, 2.5), width)
    _pair(rows, "bias_add", lambda: x + b, (x, b), (2, 0), width)
    heads = tensor(1, tokens, width // 128, 128)
    angles = tensor(1, tokens, 1, 128, grad=False)
    _pair(rows, "rotary", lambda: _rotated(heads, angles, angles), (heads,), (2, 2), width)
    _pair(rows, "transpose", lambda: heads.transpose(1, 2).contiguous(), (heads,), (2, 2), width)
    with torch.no_grad():
        _pair(rows, "copy", lambda: x.clone(), (x,), (2, 0), width)
        _pair(rows, "to_fp32", lambda: x.float(), (x,), (3, 0), width)
        wide = x.float()
        _pair(rows, "to_bf16", lambda: wide.bfloat16(), (wide,), (1.5, 0), width, "fp32")
        _pair(rows, "add_to_fp32", lambda: wide.add_(r), (wide,), (2.5, 0), width, "fp32")
        _pair(rows, "zero", lambda: wide.zero_(), (wide,), (1, 0), width, "fp32")
        _pair(rows, "norm_of_all", lambda: torch.linalg.vector_norm(wide), (wide,), (1, 0), width, "fp32")
        index = torch.randperm(tokens, device="cuda")
        _pair(rows, "permute_rows", lambda: x[index], (x,), (2, 0), width)


def _scores(rows, batch, tokens):
    """What unfused attention does with its scores (batch, tokens, tokens)."""
    s = torch.randn(batch, tokens, tokens, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    mask = torch.ones(tokens, tokens, device="cuda", dtype=torch.bool).triu(1)
    _pair(rows, "softmax", lambda: F.softmax(s, dim=-1), (s,), (2, 3), tokens)
    _pair(rows, "softmax_fp32", lambda: F.softmax(s, dim=-1, dtype=torch.float32), (s,), (3, 4), tokens)
    _pair(rows, "scores_dropout", lambda: F.dropout(s, 0.1, True), (s,), (2.5, 2.5), tokens)
    _pair(rows, "masked_fill", lambda: s.masked_fill(mask, -10000.0), (s,), (2, 2), tokens)


def _losses(rows, tokens, vocabulary):
    logits = torch.randn(tokens, vocabulary, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    label = torch.randint(vocabulary, (tokens,), device="cuda")
    _pair(rows, "cross_entropy", lambda: F.cross_entropy(logits, label), (logits,), (2, 3), vocabulary)
    _pair(
        rows, "cross_entropy_fp32", lambda: F.cross_entropy(logits.float(), label), (logits,),
        (9, 12), vocabulary,
    )  # fmt: skip
    table = torch.randn(vocabulary, 4096, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    ids = torch.randint(vocabulary, (tokens,), device="cuda")
    shape = {"rows": tokens, "width": 4096}
    rows.tried(
        lambda: burst(lambda: F.embedding(ids, table)),
        "streams", "embedding", "bf16", "forward", shape, bytes=4.0 * tokens * 4096,
    )  # fmt: skip
    rows.tried(
        lambda: burst(_backward(F.embedding(ids, table), (table,))),
        "streams", "embedding", "bf16", "backward", shape,
        bytes=2.0 * (2 * tokens + vocabulary) * 4096,
    )  # fmt: skip


def streams(rows):
    """Every operator at several sizes."""
    for tokens, width in SIZES:
        _of_size(rows, tokens, width)
    _scores(rows, 16, 2048)
    _scores(rows, 32, 1024)
    _losses(rows, 4096, 50304)
    _losses(rows, 4096, 128256)


def optimizers(rows):
    """Steps of Adam over parameters of a 7B model's layer, repeated, in fp32 and bf16."""
    layer = [(4096, 4096)] * 4 + [(11008, 4096)] * 2 + [(4096, 11008), (4096,), (4096,)]
    for precision, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        for layers in (1, 4):
            weights = [torch.zeros(s, device="cuda", dtype=dtype, requires_grad=True) for s in layer * layers]
            count = sum(w.numel() for w in weights)
            for w in weights:
                w.grad = torch.randn_like(w)
            for what, options in (("fused", {"fused": True}), ("foreach", {"foreach": True}), ("loop", {"foreach": False})):
                step = torch.optim.AdamW(weights, lr=1e-4, **options)
                rows.tried(
                    lambda: burst(step.step), "optimizers", what, precision, "forward",
                    {"numbers": count, "tensors": len(weights)},
                    bytes=float(7 * count * weights[0].element_size()),
                )  # fmt: skip
                del step
            rows.tried(
                lambda: burst(lambda: torch.nn.utils.clip_grad_norm_(weights, 1e-9, foreach=True)),
                "optimizers", "clip", precision, "forward",
                {"numbers": count, "tensors": len(weights)},
                bytes=float(3 * count * weights[0].element_size()),
            )  # fmt: skip
