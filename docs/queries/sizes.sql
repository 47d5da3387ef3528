-- How long are the texts, and how many groups and rules do they have?
--
-- Each site counts, sites with equal texts too.
SELECT
    count(*) AS sites,
    count(DISTINCT document) AS texts,
    median(octets) AS octets_median,
    quantile_disc(octets, 0.99) AS octets_p99,
    max(octets) AS octets_max,
    median(rules) AS rules_median,
    quantile_disc(rules, 0.99) AS rules_p99,
    max(rules) AS rules_max,
    max(named) AS named_max
FROM 'sites.parquet'
WHERE outcome = 'rules';
