-- What each client listed, searched for and called, in tokens.
SELECT client, SUM(kind = :list),
       SUM(CASE WHEN kind = :list THEN context_tokens + saved_tokens ELSE 0 END),
       SUM(CASE WHEN kind = :list THEN context_tokens ELSE 0 END),
       SUM(CASE WHEN kind = :search THEN context_tokens ELSE 0 END),
       SUM(CASE WHEN kind = :call THEN saved_tokens ELSE 0 END)
FROM activity WHERE at_us >= :since AND kind IN (:list, :search, :call)
GROUP BY client ORDER BY client
