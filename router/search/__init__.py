"""Tool search: BM25F, embeddings and usage history behind `domain.search.SearchProvider`.

The pipeline, a file for each stage; `ranker` runs them, `provider` chooses the strategy:

    SearchRequest
      1. parsed_query   text -> weighted tokens (stems, synonyms, spelling, compounds)
      2. candidates     tokens and embedding -> BM25F scores of all tools, candidates to score
      3. fusion         candidates -> one score each (lexical, dense, usage history, context)
      4. calibration    scores -> relevance, a probability that is comparable between searches
      5. explanation    matches -> why each tool was found
      -> SearchReply

Beside them: `usage_history` says what is kept of past use, `cloud` sends a search to a remote
service instead. `index` and `text` hold what the stages read.
"""

import os

# The vectors are small: several threads would only wait for each other. Read when numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
