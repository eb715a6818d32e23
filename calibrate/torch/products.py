"""Matrix products: by the alignment of every dimension, batched ones, fp8, and grouped ones."""

import torch

from timing import burst

TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def _random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def _product(rows, precision, m, n, k, part="products"):
    """y (m, n) = x (m, k) times w (n, k) transposed, as a linear layer does it."""
    x, w = _random(m, k, dtype=TYPES[precision]), _random(n, k, dtype=TYPES[precision])
    rows.tried(
        lambda: burst(lambda: torch.nn.functional.linear(x, w)),
        part, "linear", precision, "forward", {"m": m, "n": n, "k": k},
        flops=2.0 * m * n * k, bytes=float(x.element_size() * (m * k + n * k + m * n)),
    )  # fmt: skip


def alignment(rows):
    """Each dimension by itself off a multiple of 64, 32, 16, 8, 4, 2 and 1 (arXiv 2401.14489)."""
    for off in (0, 32, 16, 8, 4, 2, 1):
        for dims in ((4096 + off, 4096, 4096), (4096, 4096 + off, 4096), (4096, 4096, 4096 + off)):
            _product(rows, "bf16", *dims, part="alignment")
    for vocabulary in (50257, 50258, 50260, 50264, 50272, 50304, 50432, 51200):
        _product(rows, "bf16", 8192, vocabulary, 2048, part="alignment")
    for head in (64, 72, 76, 78, 79, 80, 84, 88, 96, 100, 104, 112, 120, 124, 126, 127, 128):
        _heads(rows, head)


def _heads(rows, head, heads=64, tokens=2048):
    """Scores and their product with values of unfused attention, whose rows have `head` numbers."""
    q, k = _random(heads, tokens, head), _random(heads, tokens, head)
    p = _random(heads, tokens, tokens)
    flops = 2.0 * heads * tokens * tokens * head
    moved = 2.0 * heads * (2 * tokens * head + tokens * tokens)
    shape = {"batch": heads, "tokens": tokens, "head": head}
    for what, body in (
        ("scores", lambda: torch.bmm(q, k.transpose(1, 2))),
        ("values", lambda: torch.bmm(p, k)),
    ):
        rows.tried(
            lambda: burst(body), "alignment", what, "bf16", "forward", shape,
            flops=flops, bytes=moved,
        )  # fmt: skip


def _scaled(rows, m, n, k):
    """An fp8 product with one scale a tensor and one a row, as torch._scaled_mm does it."""
    x = _random(m, k).to(torch.float8_e4m3fn)
    w = _random(n, k).to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    of_rows = torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda")
    for what, scales in (("scaled_mm", (one, one)), ("scaled_mm_rowwise", of_rows)):
        rows.tried(
            lambda: burst(
                lambda: torch._scaled_mm(
                    x, w, scale_a=scales[0], scale_b=scales[1], out_dtype=torch.bfloat16
                )
            ),
            "products", what, "fp8", "forward", {"m": m, "n": n, "k": k},
            flops=2.0 * m * n * k, bytes=float(m * k + n * k + 2 * m * n),
        )  # fmt: skip


def _grouped(rows, experts, tokens, n, k):
    """Products of as many experts in one kernel, each with `tokens` rows on the mean."""
    x, w = _random(experts * tokens, k), _random(experts, k, n)
    ends = torch.arange(1, experts + 1, device="cuda", dtype=torch.int32) * tokens
    shape = {"experts": experts, "tokens": tokens, "n": n, "k": k}
    flops = 2.0 * experts * tokens * n * k
    moved = 2.0 * experts * (tokens * k + k * n + tokens * n)
    rows.tried(
        lambda: burst(lambda: torch._grouped_mm(x, w, offs=ends)),
        "products", "grouped_mm", "bf16", "forward", shape, flops=flops, bytes=moved,
    )  # fmt: skip
    parts = x.split(tokens)
    rows.tried(
        lambda: burst(lambda: [torch.mm(part, w[i]) for i, part in enumerate(parts)]),
        "products", "loop_mm", "bf16", "forward", shape, flops=flops, bytes=moved,
    )  # fmt: skip


def products(rows):
    """Linear layers of known sizes in four precisions, fp8 products, products of experts."""
    for m in (512, 2048, 8192):
        for n, k in ((4096, 4096), (28672, 4096), (4096, 14336), (8192, 28672), (1280, 8192)):
            _product(rows, "bf16", m, n, k)
            _scaled(rows, m, n, k)
    for precision in ("fp16", "fp32"):
        _product(rows, precision, 4096, 4096, 4096)
    torch.backends.cuda.matmul.allow_tf32 = True
    x, w = _random(4096, 4096, dtype=torch.float32), _random(4096, 4096, dtype=torch.float32)
    rows.tried(
        lambda: burst(lambda: x @ w), "products", "linear", "tf32", "forward",
        {"m": 4096, "n": 4096, "k": 4096}, flops=2.0 * 4096**3, bytes=12.0 * 4096**2,
    )  # fmt: skip
    torch.backends.cuda.matmul.allow_tf32 = False
    for experts, tokens in ((8, 256), (8, 1024), (8, 4096), (32, 256), (32, 1024), (128, 64), (128, 256)):
        _grouped(rows, experts, tokens, 2048, 4096)
