-- Which crawlers do most sites name?
SELECT crawler, any_value(operator) AS operator, any_value(purpose) AS purpose, count(DISTINCT site) AS sites
FROM 'crawlers.parquet'
JOIN 'sites.parquet' AS sites USING (document)
WHERE crawler <> '*'
GROUP BY crawler
ORDER BY sites DESC, crawler
LIMIT 20;
