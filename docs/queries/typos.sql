-- Which names are probably misspelt, because one letter more, less, other or swapped makes them that of a well-known
-- crawler?
--
-- A rule that stands under such a name binds nobody. Names of one operator may be as close as that to each other, so
-- names that are themselves well known are left out, and so are short ones.
WITH
    named AS (
        SELECT crawler, any_value(purpose) AS purpose, count(DISTINCT site) AS sites
        FROM 'crawlers.parquet'
        JOIN 'sites.parquet' AS sites USING (document)
        GROUP BY crawler
    ),
    known AS (
        SELECT DISTINCT crawler AS meant FROM 'policy.parquet' WHERE purpose IS NOT NULL
    )
SELECT crawler, meant, sites
FROM named
JOIN known ON damerau_levenshtein(crawler, lower(meant)) = 1
WHERE purpose IS NULL AND length(crawler) >= 7
ORDER BY sites DESC, crawler, meant;
