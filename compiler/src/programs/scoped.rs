//! The sets of a text whose fields are weighed by specificity: ACAP fields and permissions in
//! pages.
//!
//! There is one program for each usage and each kind of groups: those of one role with the same
//! purposes. Priorities are keys of the document's scope, so all its programs can be queried
//! together. Fields for any crawler are in one set that all others refer to. The groups of one kind
//! that a crawler has together are joined as long as that copies no more bytes than the text has;
//! beyond that, each has its programs. Conventional groups are always joined, because a single
//! winner among their rules is needed. Invariant: linear in the policy, apart from the factors
//! limited by [`MERGED`] and [`ENTRIES`].

use super::{ProgramSets, ScopedEntry, ScopedSet, Set, by_usage};
use crate::automaton::{self, Prioritized};
use crate::limits::{LimitName, Limits, OverLimit};
use crate::policy::{Group, Policy, Rule, Sense};
use crate::precedence;
use crate::scope::{Order, scoped_pattern, symbols};
use robomaton_formats::pattern::Parts;
use robomaton_formats::policy::{MAX_ENTRIES, Role, is_special};
use robomaton_formats::program::{Priority, Silence, Weighing};
use robomaton_formats::purpose::MAX_PURPOSE;
use robomaton_formats::scope::{
    MAX_PRIORITY_SETS, MAX_RULES, PERMITS, PERMITS_IF, PROHIBITS, Scope, scoped_priority, set_priority,
};
use std::collections::{BTreeMap, HashMap};

/// The maximum number of conventional rules in all combinations of groups that apply to crawlers. A
/// rule counts once for every started block of [`BYTES_OF_RULE`] bytes of its pattern.
const MERGED: usize = 1 << 20;
const BYTES_OF_RULE: usize = 32;
/// The maximum number of programs in all combinations of groups of fields that apply to crawlers.
const ENTRIES: usize = 1 << 20;
/// The maximum number of different purposes. A question about one of them may run a program for
/// each, so their number bounds the time of look-ups.
const PURPOSES: usize = 64;

/// The programs and sets of a policy whose ranked rules have these priorities.
pub(crate) fn scoped(
    policy: &Policy<'_>,
    ranks: &[Priority],
    limits: &Limits,
) -> Result<ProgramSets, OverLimit> {
    let mut filling = Filling::new(policy, ranks, limits)?;
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut any = Vec::new();
    for (number, group) in policy.groups.iter().enumerate() {
        let mut names: Vec<String> = group.names().map(str::to_ascii_lowercase).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().for_each(|name| named.entry(name).or_default().push(number));
        any.extend(group.is_default().then_some(number));
    }
    let (default, any): (Vec<usize>, Vec<usize>) =
        any.into_iter().partition(|&group| filling.is_conventional(group));
    let rest = filling.fields(&any)?;
    let rest = filling.intern(rest);
    // Crawlers with the same groups share a set. The default groups are joined when they are first
    // needed.
    let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut of_default: Option<Vec<ScopedEntry>> = None;
    for (name, groups) in named {
        let set = match known.get(&groups) {
            Some(&set) => set,
            None => {
                let is_own = |&group: &usize| filling.is_conventional(group);
                let own: Vec<usize> = groups.iter().copied().filter(is_own).collect();
                let mut set = filling.fields(&groups)?;
                set.own = !own.is_empty();
                set.pages = !groups.iter().any(|&group| policy.groups[group].names_crawlers());
                if set.own {
                    set.entries.extend(filling.conventional(&own)?);
                } else {
                    if of_default.is_none() {
                        of_default = Some(filling.conventional(&default)?);
                    }
                    set.entries.extend(of_default.iter().flatten());
                }
                set.rest = Some(rest);
                let set = filling.intern(set);
                known.insert(groups, set);
                set
            }
        };
        filling.sets.crawlers.push((name, set));
    }
    let entries = filling.conventional(&default)?;
    let permits = policy.is_acap;
    let set = ScopedSet { permits, entries, rest: Some(rest), ..ScopedSet::default() };
    filling.sets.default = Some(filling.intern(set));
    let longest = filling.longest;
    let sets = filling.finish()?;
    sets.check(policy, longest)?;
    Ok(sets)
}

/// The contribution of groups of fields to the sets of their crawlers.
#[derive(Clone, Default)]
struct Fields {
    entries: Vec<ScopedEntry>,
    /// The stars of its rules, by usage.
    stars: Vec<(u16, usize)>,
}

struct Filling<'f, 'p, 's> {
    sets: ProgramSets,
    policy: &'p Policy<'s>,
    limits: &'f Limits,
    order: Order,
    /// The number of each rule's pattern in the order.
    patterns: Vec<u32>,
    /// Priority and pattern of each conventional rule, ascending: the index is the rule's number.
    numbers: Vec<(Priority, u32)>,
    /// Programs already built.
    programs: HashMap<Vec<Prioritized<'p>>, usize>,
    /// Numbers of priority sets, by their priorities.
    priority_sets: HashMap<Vec<Priority>, u32>,
    /// Entries of joined groups.
    joined: HashMap<Vec<usize>, Vec<ScopedEntry>>,
    merged: usize,
    /// Entries and stars of groups of fields, by the groups that are joined.
    fields: HashMap<Vec<usize>, Fields>,
    /// The number of bytes of patterns that joined groups of fields may still copy.
    left: usize,
    entries: usize,
    known: HashMap<ScopedSet, usize>,
    purposes: HashMap<Vec<u8>, u16>,
    longest: usize,
}

impl<'f, 'p, 's> Filling<'f, 'p, 's> {
    fn new(policy: &'p Policy<'s>, ranks: &[Priority], limits: &'f Limits) -> Result<Self, OverLimit> {
        let of_file = |role: Role| !role.is_of_page();
        let mut texts = vec![None; policy.rules.len()];
        for group in policy.groups.iter().filter(|group| of_file(group.role)) {
            for at in group.rules.clone() {
                texts[at] = Some(symbols(&scoped_pattern(&policy.rules[at].pattern)));
            }
        }
        let order = Order::new(texts.iter().flatten().cloned().collect());
        if order.len() > limits.patterns() {
            let line = policy.rules.last().map_or(1, |rule| rule.line);
            return Err(OverLimit { limit: LimitName::Patterns, allowed: limits.patterns(), line });
        }
        // All fields of pages share one pattern, the narrowest: the resource that contains them.
        let page = order.len() as u32;
        let patterns: Vec<u32> =
            texts.iter().map(|text| text.as_ref().map_or(page, |text| order.number(text))).collect();
        let numbers = precedence::numbers(policy, ranks, |rule| patterns[rule]);
        if numbers.len() > MAX_RULES {
            let line = policy.rules.last().map_or(1, |rule| rule.line);
            return Err(OverLimit { limit: LimitName::Merged, allowed: MAX_RULES, line });
        }
        let mut priorities = vec![0; policy.rules.len()];
        for group in &policy.groups {
            for at in group.rules.clone() {
                let rule = &policy.rules[at];
                priorities[at] = if group.role.is_ranked() {
                    let number = numbers
                        .binary_search(&(ranks[at], patterns[at]))
                        .expect("every ranked rule has a number");
                    scoped_priority(number as u32, says(rule))
                } else {
                    let special = is_special(policy.usage_name(rule.usage));
                    scoped_priority(2 * patterns[at] + u32::from(special), says(rule))
                };
            }
        }
        Ok(Filling {
            sets: ProgramSets { priorities, ..ProgramSets::default() },
            policy,
            limits,
            order,
            patterns,
            numbers,
            programs: HashMap::new(),
            priority_sets: HashMap::new(),
            joined: HashMap::new(),
            merged: 0,
            fields: HashMap::new(),
            left: policy.rules.iter().map(|rule| rule.pattern.len()).sum(),
            entries: 0,
            known: HashMap::new(),
            purposes: HashMap::new(),
            longest: 0,
        })
    }

    fn is_conventional(&self, group: usize) -> bool {
        self.policy.groups[group].role.is_ranked()
    }

    /// The set of the fields of these groups, without conventional groups. Per usage it has at most
    /// as many stars as a group may have, since its programs are walked one after the other.
    fn fields(&mut self, groups: &[usize]) -> Result<ScopedSet, OverLimit> {
        let policy = self.policy;
        let mut set = ScopedSet { permits: policy.is_acap, ..ScopedSet::default() };
        let mut stars: HashMap<u16, usize> = HashMap::new();
        let mut kinds: BTreeMap<(Role, Vec<u16>), Vec<usize>> = BTreeMap::new();
        for &number in groups {
            let group = &policy.groups[number];
            if !group.role.is_ranked() {
                set.incomplete |= group.incomplete;
                kinds.entry((group.role, self.purposes(group)?)).or_default().push(number);
            }
        }
        for ((role, purposes), groups) in kinds {
            for joined in self.joined_fields(role, &purposes, groups)? {
                let fields = &self.fields[&joined];
                let line = policy.groups[joined[0]].line;
                let over = |allowed| Err(OverLimit { limit: LimitName::Entries, allowed, line });
                self.entries += fields.entries.len();
                if self.entries > ENTRIES {
                    return over(ENTRIES);
                }
                set.entries.extend(&fields.entries);
                if set.entries.len() > MAX_ENTRIES {
                    return over(MAX_ENTRIES);
                }
                for &(usage, more) in &fields.stars {
                    let stars = stars.entry(usage).or_default();
                    *stars += more;
                    self.limits.check_stars(*stars, line)?;
                }
            }
        }
        Ok(set)
    }

    /// Builds the programs of groups of one kind, once, and returns them as they are joined: all
    /// together, or each alone if that would copy too many bytes or nest too deeply.
    fn joined_fields(
        &mut self,
        role: Role,
        purposes: &[u16],
        groups: Vec<usize>,
    ) -> Result<Vec<Vec<usize>>, OverLimit> {
        if groups.len() > 1 && !self.fields.contains_key(&groups) {
            let bytes = |&group: &usize| -> usize {
                let rules = &self.policy.rules[self.policy.groups[group].rules.clone()];
                rules.iter().map(|rule| rule.pattern.len()).sum()
            };
            if let Some(left) = self.left.checked_sub(groups.iter().map(bytes).sum()) {
                match self.fields_of(role, purposes, &groups) {
                    Ok(fields) => {
                        self.left = left;
                        self.fields.insert(groups.clone(), fields);
                    }
                    Err(over) if over.limit == LimitName::Depth => {}
                    Err(over) => return Err(over),
                }
            }
        }
        if self.fields.contains_key(&groups) {
            return Ok(vec![groups]);
        }
        let alone: Vec<Vec<usize>> = groups.into_iter().map(|group| vec![group]).collect();
        for group in &alone {
            if !self.fields.contains_key(group) {
                let fields = self.fields_of(role, purposes, group)?;
                self.fields.insert(group.clone(), fields);
            }
        }
        Ok(alone)
    }

    /// Builds the programs of these groups together.
    fn fields_of(&mut self, role: Role, purposes: &[u16], groups: &[usize]) -> Result<Fields, OverLimit> {
        let policy = self.policy;
        let line = policy.groups[groups[0]].line;
        let mut fields = Fields::default();
        let mut rules: Vec<usize> =
            groups.iter().flat_map(|&group| policy.groups[group].rules.clone()).collect();
        for (usage, rules) in by_usage(policy, &mut rules) {
            let stars = self.stars(rules);
            self.limits.check_stars(stars, line)?;
            let program = self.program(rules)?;
            let entry = |&purpose: &u16| ScopedEntry { role, usage, purpose, program };
            fields.entries.extend(purposes.iter().map(entry));
            if fields.entries.len() > MAX_ENTRIES {
                return Err(OverLimit { limit: LimitName::Entries, allowed: MAX_ENTRIES, line });
            }
            fields.stars.extend((stars > 0).then_some((usage, stars)));
        }
        Ok(fields)
    }

    fn stars(&self, rules: &[usize]) -> usize {
        rules.iter().map(|&rule| self.policy.rules[rule].pattern().stars()).sum()
    }

    /// The numbers of a group's purposes, ascending; 0 alone if it has none.
    fn purposes(&mut self, group: &Group<'_>) -> Result<Vec<u16>, OverLimit> {
        if group.purposes.is_empty() {
            return Ok(vec![0]);
        }
        let (known, all) = (&mut self.purposes, &mut self.sets.purposes);
        let number = |purpose: &std::borrow::Cow<'_, [u8]>| {
            if let Some(&number) = known.get(purpose.as_ref()) {
                return Ok(number);
            }
            if all.len() >= PURPOSES {
                return Err(OverLimit { limit: LimitName::Purposes, allowed: PURPOSES, line: group.line });
            }
            if purpose.len() > MAX_PURPOSE {
                return Err(OverLimit { limit: LimitName::Purpose, allowed: MAX_PURPOSE, line: group.line });
            }
            all.push(purpose.to_vec());
            let number = all.len() as u16;
            known.insert(purpose.to_vec(), number);
            Ok(number)
        };
        let mut purposes = group.purposes.iter().map(number).collect::<Result<Vec<_>, _>>()?;
        purposes.sort_unstable();
        purposes.dedup();
        Ok(purposes)
    }

    /// The entries of conventional groups that apply together (R7).
    fn conventional(&mut self, groups: &[usize]) -> Result<Vec<ScopedEntry>, OverLimit> {
        if !self.joined.contains_key(groups) {
            let mut rules: Vec<usize> =
                groups.iter().flat_map(|&group| self.policy.groups[group].rules.clone()).collect();
            let bytes = |&rule: &usize| self.policy.rules[rule].pattern.len();
            self.merged += rules.iter().map(|rule| bytes(rule).div_ceil(BYTES_OF_RULE).max(1)).sum::<usize>();
            let line = groups.first().map_or(1, |&group| self.policy.groups[group].line);
            if self.merged > MERGED {
                return Err(OverLimit { limit: LimitName::Merged, allowed: MERGED, line });
            }
            self.limits.check_stars(self.stars(&rules), line)?;
            let mut programs = Vec::new();
            for (usage, rules) in by_usage(self.policy, &mut rules) {
                let silence =
                    precedence::silence(rules.iter().map(|&rule| &self.policy.rules[rule]), Some(usage));
                let role = if silence == Silence::Allowed { Role::Conventional } else { Role::Preference };
                programs.push(ScopedEntry { role, usage, purpose: 0, program: self.program(rules)? });
            }
            self.joined.insert(groups.to_vec(), programs);
        }
        Ok(self.joined[groups].clone())
    }

    /// The program of these rules, built once.
    fn program(&mut self, rules: &[usize]) -> Result<usize, OverLimit> {
        let prioritized = |&rule: &usize| Prioritized {
            pattern: self.policy.rules[rule].pattern(),
            priority: self.sets.priorities[rule],
        };
        let mut prioritized: Vec<Prioritized<'p>> = rules.iter().map(prioritized).collect();
        prioritized.sort_unstable();
        // For one pattern, fields of different senses are combined. Conventional rules are not: a
        // field may contradict one of them and leave the other.
        prioritized.dedup_by(|later, kept| {
            let same = later.pattern == kept.pattern && later.priority >> 3 == kept.priority >> 3;
            if same {
                kept.priority |= later.priority;
            }
            same
        });
        let prioritized = self.priority_set(prioritized);
        if let Some(&program) = self.programs.get(&prioritized) {
            return Ok(program);
        }
        let rule = &self.policy.rules[rules[0]];
        let start = self.sets.code.len();
        let depth = automaton::build(&prioritized, rule.notation, Weighing::Scoped, &mut self.sets.code);
        if let Err(over) = self.limits.check_depth(depth, rule.line) {
            self.sets.code.truncate(start);
            return Err(over);
        }
        self.sets.programs.push(start..self.sets.code.len());
        let program = self.sets.programs.len() - 1;
        self.programs.insert(prioritized, program);
        Ok(program)
    }

    /// Patterns that match the same targets share one place of a program: keeps one of them, with a
    /// priority that stands for all.
    fn priority_set(&mut self, rules: Vec<Prioritized<'p>>) -> Vec<Prioritized<'p>> {
        let mut alike: BTreeMap<Parts<'p>, Vec<Prioritized<'p>>> = BTreeMap::new();
        rules.iter().for_each(|rule| alike.entry(rule.pattern.parts()).or_default().push(*rule));
        if alike.len() == rules.len() {
            return rules;
        }
        let one = |rules: Vec<Prioritized<'p>>| match rules[..] {
            [rule] => rule,
            _ => {
                let priorities: Vec<Priority> = rules.iter().map(|rule| rule.priority).collect();
                let next = self.priority_sets.len() as u32;
                let priority_set = *self.priority_sets.entry(priorities).or_insert(next);
                Prioritized { priority: set_priority(priority_set), ..rules[0] }
            }
        };
        let mut rules: Vec<Prioritized<'p>> = alike.into_values().map(one).collect();
        rules.sort_unstable();
        rules
    }

    fn intern(&mut self, mut set: ScopedSet) -> usize {
        set.entries.sort_unstable();
        set.entries.dedup();
        self.longest = self.longest.max(set.entries.len());
        let sets = &mut self.sets.sets;
        *self.known.entry(set).or_insert_with_key(|set| {
            sets.push(Set::Scoped(set.clone()));
            sets.len() - 1
        })
    }

    fn finish(mut self) -> Result<ProgramSets, OverLimit> {
        debug_assert_eq!(self.patterns.len(), self.sets.priorities.len());
        if self.priority_sets.len() > MAX_PRIORITY_SETS {
            let line = self.policy.rules.last().map_or(1, |rule| rule.line);
            return Err(OverLimit { limit: LimitName::Merged, allowed: MAX_PRIORITY_SETS, line });
        }
        let conventional = self.numbers.iter().map(|&(_, pattern)| pattern).collect();
        let mut priority_sets = vec![Vec::new(); self.priority_sets.len()];
        self.priority_sets
            .into_iter()
            .for_each(|(priorities, number)| priority_sets[number as usize] = priorities);
        Scope { narrower: self.order.narrower, conventional, priority_sets }.encode(&mut self.sets.scope);
        Ok(self.sets)
    }
}

/// The sense bits of a rule's priority.
fn says(rule: &Rule<'_>) -> Priority {
    match (rule.sense, rule.conditions) {
        (Sense::Prohibit, _) => PROHIBITS,
        (Sense::Permit, 0) => PERMITS,
        (Sense::Permit, _) => PERMITS_IF,
    }
}
