-- What share of sites lets GPTBot crawl nothing, some or all of them?
--
-- Over all sites of which anything is known, and over those that had a robots.txt with rules. `explicit` counts the
-- sites that name it.
SELECT
    share,
    count(*) AS sites,
    round(100 * count(*) / sum(count(*)) OVER (), 2) AS percent,
    count(*) FILTER (explicit) AS explicit,
    count(*) FILTER (sites.outcome = 'rules') AS with_rules
FROM 'policy.parquet' AS policy
JOIN 'sites.parquet' AS sites USING (site)
WHERE crawler = 'GPTBot' AND usage = 'crawl' AND share <> 'unknown'
GROUP BY share
ORDER BY share;
