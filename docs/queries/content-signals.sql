-- What do sites say in Content-Signal and Content-Usage records, as they are written?
SELECT key, value, count(DISTINCT site) AS sites
FROM 'extensions.parquet'
JOIN 'sites.parquet' AS sites USING (document)
WHERE key IN ('content-signal', 'content-usage')
GROUP BY key, value
ORDER BY sites DESC, key, value;
