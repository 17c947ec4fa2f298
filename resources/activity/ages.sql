-- Of the entries that are too old: the time of the newest, and the row of the one recorded last.
-- Of those that are not: the time of the oldest, and the row of the one recorded first.
SELECT
    (SELECT MAX(at_us) FROM activity WHERE at_us < :before),
    (SELECT MAX(rowid) FROM activity WHERE at_us < :before),
    (SELECT MIN(at_us) FROM activity WHERE at_us BETWEEN :before AND :now),
    (SELECT MIN(rowid) FROM activity WHERE at_us BETWEEN :before AND :now)
