-- Which crawlers are kept out of most sites, and by name or by what is said to everybody?
SELECT
    crawler,
    operator,
    purpose,
    count(*) FILTER (share = 'none') AS nothing,
    count(*) FILTER (share = 'none' AND explicit) AS nothing_by_name,
    count(*) FILTER (share = 'some' AND explicit) AS some_by_name,
    round(100 * count(*) FILTER (share = 'none') / count(*), 2) AS percent_nothing
FROM 'policy.parquet'
WHERE usage = 'crawl' AND share <> 'unknown'
GROUP BY ALL
ORDER BY nothing_by_name DESC, nothing DESC, crawler;
