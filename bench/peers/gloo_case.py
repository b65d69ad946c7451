"""The step of tp_mlp_step.shard in PyTorch with gloo, a process per rank, timed: what bench/compare --torch runs.

    gloo_case.py step gathered|ring RANKS             prints one JSON object: least_ms and median_ms
"""

import json
import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

ROWS, FEATURES, HIDDEN = 128, 512, 2048


def shifted(x, step, rank, n):
    out = torch.empty_like(x)
    for request in (dist.isend(x.contiguous(), (rank + step) % n), dist.irecv(out, (rank - step) % n)):
        request.wait()
    return out


def operators(rank, n):
    """Collectives with their transposes as backward."""
    def gather(x):
        parts = [torch.empty_like(x) for _ in range(n)]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts, 1)

    def scatter(x):
        blocks = [block.contiguous() for block in x.chunk(n, 1)]
        out = torch.empty_like(blocks[0])
        dist.reduce_scatter(out, blocks)
        return out

    def operator(there, back):
        class Operator(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                return there(x)

            @staticmethod
            def backward(context, g):
                return back(g)
        return Operator.apply
    move, unmove = (lambda x: shifted(x, 1, rank, n)), (lambda x: shifted(x, -1, rank, n))
    return operator(gather, scatter), operator(scatter, gather), operator(move, unmove)


def mlp(collectives, rank, n):
    gather, scatter, move = operators(rank, n)
    silu, width = torch.nn.functional.silu, FEATURES // n

    def gathered(x, w1, b1, w2):
        return scatter(silu(gather(x) @ w1 + b1) @ w2)

    def ring(x, w1, b1, w2):
        z = b1
        for k in range(n):
            first = (rank - k) % n * width
            z = z + x @ w1[first:first + width]
            x = move(x) if k < n - 1 else x
        h, total = silu(z), None
        for k in range(n):
            first = (rank - 1 - k) % n * width
            term = h @ w2[:, first:first + width]
            total = term if total is None else move(total) + term
        return total
    return {"gathered": gathered, "ring": ring}[collectives]


def work(rank, collectives, n, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=n)
    torch.manual_seed(rank)
    apply = mlp(collectives, rank, n)
    x, t = torch.randn(ROWS, FEATURES // n), torch.randn(ROWS, FEATURES // n)
    parameters = [p.requires_grad_() for p in (torch.randn(FEATURES, HIDDEN // n) / FEATURES ** 0.5, torch.randn(HIDDEN // n),
                                               torch.randn(HIDDEN // n, FEATURES) / HIDDEN ** 0.5)]
    runs = []
    for _ in range(25):
        dist.barrier()
        start = time.perf_counter()
        torch.autograd.grad(((apply(x, *parameters) - t) ** 2).sum() / ROWS, parameters)
        dist.barrier()
        runs.append(time.perf_counter() - start)
    if rank == 0:
        runs = sorted(runs[3:])
        print(json.dumps({"least_ms": 1e3 * runs[0], "median_ms": 1e3 * runs[len(runs) // 2], "torch": torch.__version__}))
    dist.destroy_process_group()


def main():
    collectives, n = sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(work, (collectives, n, os.path.join(folder, "meeting")), nprocs=n)


if __name__ == "__main__":
    main()
