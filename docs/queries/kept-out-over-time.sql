-- What share of sites kept crawlers out altogether, image by image?
--
-- Needs the tables of several images (`robomaton export A.rimg B.rimg ... --to DIR`). Sites that are closed because their
-- robots.txt could not be read do not count as keeping anyone out.
SELECT
    crawler,
    image,
    CAST(newest AT TIME ZONE 'UTC' AS DATE) AS newest,
    count(*) AS sites,
    count(*) FILTER (share = 'none' AND ground <> 'outcome') AS kept_out,
    round(100 * count(*) FILTER (share = 'none' AND ground <> 'outcome') / count(*), 2) AS percent
FROM 'policy.parquet'
WHERE usage = 'crawl' AND crawler IN ('GPTBot', 'CCBot', 'Googlebot')
GROUP BY ALL
ORDER BY crawler, newest;
