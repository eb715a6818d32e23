"""Whole iterations of models as people train them on one GPU: seconds, memory, host, power.

Weights are random, tokens too. A step is a forward and a backward pass, a clipped norm and AdamW.
`mode` says how it computes: `bf16` keeps weights and the optimizer's state in bf16, `autocast` keeps
both in fp32 and casts what products read, `compiled` is bf16 of which each block is compiled.
"""

import time

import torch
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from timing import steady

LLAMA_1B = dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32,
                num_key_value_heads=8, head_dim=64, vocab_size=128256, tie_word_embeddings=True)  # fmt: skip
LLAMA_8B = dict(hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
                num_key_value_heads=8, head_dim=128, vocab_size=128256, tie_word_embeddings=False)  # fmt: skip
QWEN3_2B = dict(hidden_size=2048, intermediate_size=6144, num_hidden_layers=28, num_attention_heads=16,
                num_key_value_heads=8, head_dim=128, vocab_size=151936, tie_word_embeddings=True)  # fmt: skip
OLMOE_7B = dict(hidden_size=2048, intermediate_size=1024, num_hidden_layers=16, num_attention_heads=16,
                num_key_value_heads=16, vocab_size=50304, num_experts=64, num_experts_per_tok=8)  # fmt: skip
GPT2_MEDIUM = dict(n_embd=1024, n_layer=24, n_head=16, vocab_size=50257, n_positions=1024)
GPT2 = dict(n_embd=768, n_layer=12, n_head=12, vocab_size=50257, n_positions=1024)
BERT_LARGE = dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, vocab_size=30522)


# name, class of the model, its settings, mode, recomputation, batch, tokens
JOBS = (
    ("gpt2", "GPT2LMHeadModel", GPT2, "bf16", False, 1, 128),
    ("gpt2-medium", "GPT2LMHeadModel", GPT2_MEDIUM, "bf16", False, 8, 1024),
    ("gpt2-medium", "GPT2LMHeadModel", GPT2_MEDIUM, "autocast", False, 8, 1024),
    ("llama-3.2-1b", "LlamaForCausalLM", LLAMA_1B, "bf16", False, 4, 4096),
    ("llama-3.2-1b", "LlamaForCausalLM", LLAMA_1B, "autocast", False, 4, 4096),
    ("llama-3.2-1b", "LlamaForCausalLM", LLAMA_1B, "bf16", True, 8, 4096),
    ("llama-3.2-1b", "LlamaForCausalLM", LLAMA_1B, "compiled", False, 4, 4096),
    ("qwen3-1.7b", "Qwen3ForCausalLM", QWEN3_2B, "bf16", False, 2, 4096),
    ("olmoe-1b-7b", "OlmoeForCausalLM", OLMOE_7B, "bf16", False, 2, 4096),
    ("llama-3.1-8b", "LlamaForCausalLM", LLAMA_8B, "bf16", True, 1, 8192),
    ("llama-3.1-8b-lora", "LlamaForCausalLM", LLAMA_8B, "bf16", False, 1, 4096),
    ("bert-large", "BertForMaskedLM", BERT_LARGE, "autocast", False, 32, 512),
    ("resnet-50", "resnet50", {}, "autocast", False, 256, 224),
    ("vit-l-16", "vit_l_16", {}, "autocast", False, 64, 224),
)


def _language_model(name, kind, settings, mode, recompute):
    """A model of the library transformers on the GPU, in training."""
    import transformers

    make = getattr(transformers, kind)
    config = make.config_class(**settings, attn_implementation="sdpa", use_cache=False)
    with torch.device("cuda"):
        torch.set_default_dtype(torch.float32 if mode == "autocast" else torch.bfloat16)
        try:
            model = make(config)
        finally:
            torch.set_default_dtype(torch.float32)
    model.train()
    if recompute:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if mode == "compiled":
        for block in model.model.layers:
            block.compile()
    if name.endswith("-lora"):
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
    return model


def _loss_of_words(model, batch, tokens, vocabulary):
    ids = torch.randint(vocabulary, (batch, tokens), device="cuda")
    return lambda: model(input_ids=ids, labels=ids).loss


def _loss_of_images(model, batch, side):
    images = torch.randn(batch, 3, side, side, device="cuda").contiguous(memory_format=torch.channels_last)
    labels = torch.randint(1000, (batch,), device="cuda")
    return lambda: F.cross_entropy(model(images), labels)


def _made(name, kind, settings, mode, recompute, batch, tokens):
    """(model, what computes its loss)."""
    if settings:
        model = _language_model(name, kind, settings, mode, recompute)
        return model, _loss_of_words(model, batch, tokens, settings["vocab_size"])
    import torchvision

    with torch.device("cuda"):
        model = getattr(torchvision.models, kind)().to(memory_format=torch.channels_last).train()
    return model, _loss_of_images(model, batch, tokens)


def _step(model, loss, mode):
    """One iteration as a call."""
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4)

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=mode == "autocast"):
            value = loss()
        value.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


def _host_seconds(step):
    """What the host takes for a step that begins with an idle device, the wait at its end left out."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    step()
    seconds = time.perf_counter() - begin
    torch.cuda.synchronize()
    return seconds


def _traced(step, path):
    """Writes a trace of two steps to `path` and returns {kernel: (calls, seconds)} of one step."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=1)) as trace:  # fmt: skip
        for _ in range(3):
            step()
            torch.cuda.synchronize()
            trace.step()
    trace.export_chrome_trace(path)
    sums = {}
    for event in trace.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.is_user_annotation:
            calls, us = sums.get(event.name, (0, 0.0))
            sums[event.name] = (calls + 1, us + event.device_time)
    return {name: (calls / 2, us * 1e-6 / 2) for name, (calls, us) in sums.items()}


def _measure(rows, sampler, folder, job):
    name, _, _, mode, recompute, batch, tokens = job
    shape = {"model": name, "batch": batch, "tokens": tokens, "recompute": int(recompute)}
    torch.cuda.reset_peak_memory_stats()
    model, loss = _made(*job)
    step = _step(model, loss, mode)
    for _ in range(3):
        step()
    host = min(_host_seconds(step) for _ in range(3))
    parameters = sum(weight.numel() for weight in model.parameters())
    peak, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    free, total = torch.cuda.mem_get_info()
    seconds, watts, clock, heat, reasons = steady(step, sampler, run_seconds=4.0)
    rows.add("training", "iteration", mode, "both", shape, seconds, watts=watts, mhz=clock,
             note=f"parameters={parameters} celsius={heat:g} reasons={reasons:#x}")  # fmt: skip
    rows.add("training", "host", mode, "both", shape, host)
    rows.add("training", "allocated", mode, "both", shape, bytes=float(peak))
    rows.add("training", "reserved", mode, "both", shape, bytes=float(reserved))
    rows.add("training", "device", mode, "both", shape, bytes=float(total - free))
    kernels = _traced(step, f"{folder}/{name}.{mode}{'.recompute' if recompute else ''}.json.gz")
    busy = sum(seconds for _, seconds in kernels.values())
    calls = sum(calls for calls, _ in kernels.values())
    rows.add("training", "kernels", mode, "both", shape, busy, note=f"calls={calls:g}")
    for kernel, (calls, took) in sorted(kernels.items(), key=lambda item: -item[1][1])[:40]:
        rows.add("training", "kernel", mode, "both", shape, took / calls, note=f"calls={calls:g} {kernel[:160]}")


def training(rows, sampler, folder):
    """Every job. Its trace is written to `folder`."""
    for job in JOBS:
        name, _, _, mode, recompute, batch, tokens = job
        try:
            _measure(rows, sampler, folder, job)
        except Exception as error:
            shape = {"model": name, "batch": batch, "tokens": tokens, "recompute": int(recompute)}
            lines = str(error).splitlines() or [type(error).__name__]
            rows.add("training", "iteration", mode, "both", shape, note=f"failed: {type(error).__name__}: {lines[0][:200]}")
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        print(f"training: {name} {mode}", flush=True)
