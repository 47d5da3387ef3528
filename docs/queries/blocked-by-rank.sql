-- What share of popular and of less popular sites keeps GPTBot out altogether?
--
-- Needs `ranks.csv`, a rank list without a head line, as Tranco's: rank, domain. A site is matched when its host is the
-- domain or that with `www.` before it: both are counted, other hosts of the domain are not. Of `http` and `https` the
-- captures may hold both; each is a site.
SELECT
    CASE
        WHEN rank <= 1000 THEN '1 to 1,000'
        WHEN rank <= 10000 THEN '1,001 to 10,000'
        WHEN rank <= 100000 THEN '10,001 to 100,000'
        ELSE 'others'
    END AS ranks,
    count(*) AS sites,
    count(*) FILTER (share = 'none') AS blocked,
    round(100 * count(*) FILTER (share = 'none') / count(*), 2) AS percent
FROM read_csv('ranks.csv', header = false, columns = {'rank': 'BIGINT', 'domain': 'VARCHAR'}) AS list
JOIN 'sites.parquet' AS sites ON sites.host IN (list.domain, 'www.' || list.domain)
JOIN 'policy.parquet' AS policy USING (site)
WHERE crawler = 'GPTBot' AND usage = 'crawl' AND share <> 'unknown'
GROUP BY ranks
ORDER BY min(rank);
