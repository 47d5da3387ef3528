-- How do sites treat crawlers that train models, those that fill search indexes, and those that fetch for a user?
--
-- For each purpose: sites that keep out all well-known crawlers of it, some of them, none of them.
WITH sites AS (
    SELECT
        site,
        purpose,
        count(*) FILTER (share = 'none') AS blocked,
        count(*) AS crawlers
    FROM 'policy.parquet'
    WHERE usage = 'crawl' AND purpose IS NOT NULL AND share <> 'unknown'
    GROUP BY site, purpose
)
SELECT
    purpose,
    count(*) FILTER (blocked = crawlers) AS all_kept_out,
    count(*) FILTER (blocked > 0 AND blocked < crawlers) AS some_kept_out,
    count(*) FILTER (blocked = 0) AS none_kept_out
FROM sites
GROUP BY purpose
ORDER BY purpose;
