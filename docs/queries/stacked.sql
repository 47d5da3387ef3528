-- How many sites name several crawlers in one group, and how many names would a reader lose that knows one for each?
--
-- Stacked user-agent lines share the rules that follow (RFC 9309 2.2.1); scripts that keep the first or the last name
-- alone count the others as free.
SELECT
    count(DISTINCT site) AS sites,
    count(*) AS stacked_groups,
    sum(groups.named + CAST("default" AS INTEGER) - 1) AS names_lost
FROM 'groups.parquet' AS groups
JOIN 'sites.parquet' AS sites USING (document)
WHERE groups.role = 'conventional' AND groups.named + CAST("default" AS INTEGER) > 1;
