"""Layers of a Llama and of a GPT in plain PyTorch, small enough to be read."""

import torch
from torch import nn
from torch.nn import functional as F


def _rotated(x, cosine, sine):
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class Llama(nn.Module):
    """RMS norm, grouped-query attention with rotation, gated MLP. (batch, tokens, hidden), bf16."""

    def __init__(self, hidden, ffn, heads, kv_heads, tokens):
        super().__init__()
        self.heads, self.kv_heads, self.head = heads, kv_heads, hidden // heads
        self.first, self.second = nn.RMSNorm(hidden), nn.RMSNorm(hidden)
        self.q = nn.Linear(hidden, heads * self.head, bias=False)
        self.k = nn.Linear(hidden, kv_heads * self.head, bias=False)
        self.v = nn.Linear(hidden, kv_heads * self.head, bias=False)
        self.o = nn.Linear(heads * self.head, hidden, bias=False)
        self.gate = nn.Linear(hidden, ffn, bias=False)
        self.up = nn.Linear(hidden, ffn, bias=False)
        self.down = nn.Linear(ffn, hidden, bias=False)
        angle = torch.outer(torch.arange(tokens), 1e4 ** -(torch.arange(self.head) % (self.head // 2) * 2 / self.head))
        self.register_buffer("cosine", angle.cos())
        self.register_buffer("sine", angle.sin())

    def _split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.head).transpose(1, 2)

    def forward(self, x):
        y = self.first(x)
        q, k, v = (
            self._split(f(y), n)
            for f, n in ((self.q, self.heads), (self.k, self.kv_heads), (self.v, self.kv_heads))
        )
        q, k = (_rotated(t, self.cosine, self.sine) for t in (q, k))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.o(a.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Gpt(nn.Module):
    """Layer norm, attention that is not fused, dropout, GELU: GPT-2's. (batch, tokens, hidden)."""

    def __init__(self, hidden, heads, tokens):
        super().__init__()
        self.heads, self.head = heads, hidden // heads
        self.first, self.second = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.o = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.register_buffer("mask", torch.ones(tokens, tokens, dtype=torch.bool).triu(1))

    def forward(self, x):
        batch, tokens, _ = x.shape
        qkv = self.qkv(self.first(x)).view(batch, tokens, 3, self.heads, self.head)
        q, k, v = (t.transpose(1, 2) for t in qkv.unbind(2))
        scores = (q @ k.transpose(2, 3) * self.head**-0.5).masked_fill(self.mask, -1e4)
        p = F.dropout(F.softmax(scores, dim=-1), 0.1)
        a = (p @ v).transpose(1, 2).reshape(batch, tokens, -1)
        x = x + F.dropout(self.o(a), 0.1)
        return x + F.dropout(self.down(F.gelu(self.up(self.second(x)))), 0.1)


def stack(count, make):
    """A stack of layers with bf16 weights on the GPU."""
    with torch.device("cuda"):
        layers = nn.Sequential(*(make() for _ in range(count)))
    return layers.to(torch.bfloat16)
