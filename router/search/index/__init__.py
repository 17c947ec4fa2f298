"""The indexes over a set of tools: an inverted index for BM25F and an index of embeddings.

`segments` (one server's tools, tokenized) -> `postings` (a block of servers) -> `bm25_index`;
`embeddings` (word vectors) -> `embedding_index`; `tool_index` holds both and `index_builder` builds
it, so that a change of one server reads that server's texts only.
"""
