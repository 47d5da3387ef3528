package io.robomaton;

import java.util.List;
import java.util.Optional;

/** The answer to one question: a decision, its basis, and on demand the lines that decided. */
public final class Verdict {
    private final int answer;
    private final Site site;
    private final Crawler crawler;
    private final Usage usage;
    private final String url;

    Verdict(int answer, Site site, Crawler crawler, Usage usage, String url) {
        this.answer = answer;
        this.site = site;
        this.crawler = crawler;
        this.usage = usage;
        this.url = url;
    }

    /**
     * What the crawler may do, as far as the image knows.
     *
     * @return the decision
     */
    public Decision decision() {
        return Answer.decision(answer);
    }

    /**
     * The decision for a caller that does without what is missing: an incomplete permission counts as a
     * prohibition. The command prints this one.
     *
     * @return the decision
     */
    public Decision safeDecision() {
        boolean permits = decision() == Decision.ALLOWED || decision() == Decision.CONDITIONAL;
        return isIncomplete() && permits ? Decision.DISALLOWED : decision();
    }

    /**
     * The basis of the decision.
     *
     * @return the basis
     */
    public Basis basis() {
        return Answer.basis(answer);
    }

    /**
     * The outcome that decided, if the basis is {@link Basis#OUTCOME}.
     *
     * @return the outcome
     */
    public Optional<Outcome> outcome() {
        return basis() == Basis.OUTCOME ? Optional.of(Answer.outcome(answer)) : Optional.empty();
    }

    /**
     * True if something that applies to this crawler is missing, and might change the decision.
     *
     * @return true if it is
     */
    public boolean isIncomplete() {
        return Answer.isIncomplete(answer);
    }

    /**
     * True if the crawler may go ahead: permitted without conditions, and nothing is missing.
     *
     * @return true if it may
     */
    public boolean isAllowed() {
        return safeDecision() == Decision.ALLOWED;
    }

    /**
     * The site that answered, if the image contains it.
     *
     * @return the site
     */
    public Optional<Site> site() {
        return Optional.ofNullable(site);
    }

    private Account account() {
        return site == null ? Account.NONE : Explanation.of(site, crawler, usage, url, basis(), decision());
    }

    /**
     * The rules that decided, in file order. Statements about uses are not among them: {@link #statements}.
     * This decodes cold records and allocates.
     *
     * @return the rules, none if no rule decided
     */
    public List<Rule> rules() {
        return account().found().rules();
    }

    /**
     * The decision of the fields of ACAP alone, without the conventional rules beside them. This decodes cold
     * records and allocates.
     *
     * @return the decision; empty unless fields were weighed and some match
     */
    public Optional<Decision> fields() {
        return Optional.ofNullable(account().found().fields());
    }

    /**
     * The decision of the conventional rules alone, without fields. This decodes cold records and allocates.
     *
     * @return the decision; empty if no conventional rule took part
     */
    public Optional<Decision> conventional() {
        return Optional.ofNullable(account().found().conventional());
    }

    /**
     * The lines of the rules that decided.
     *
     * @return the lines of {@link #rules}
     */
    public List<Long> lines() {
        return rules().stream().map(Rule::line).toList();
    }

    /**
     * How the groups that answered were chosen. This decodes cold records and allocates.
     *
     * @return the choice; empty if no rules were consulted
     */
    public Optional<Choice> choice() {
        return hasCold() ? site.choice(crawler, basis()) : Optional.empty();
    }

    /** True if cold records say anything about the answer. */
    private boolean hasCold() {
        return site != null && basis() != Basis.NARROWED && basis() != Basis.DAMAGED;
    }

    /**
     * The conditions of a conditional permission, all of which must be met. This decodes cold records and
     * allocates.
     *
     * @return the conditions in their order; none if the decision is not {@link Decision#CONDITIONAL}
     */
    public List<Condition> conditions() {
        return decision() == Decision.CONDITIONAL ? account().conditions() : List.of();
    }

    /**
     * The statements in languages of preferences about the use, those that decide first. This decodes cold
     * records and allocates.
     *
     * @return the statements; none for {@link Usage#CRAWL}
     */
    public List<Statement> statements() {
        return account().statements();
    }

    /**
     * The requests of ACAP records to the crawler for the URL. No decision depends on them. This decodes
     * cold records and allocates.
     *
     * @return the requests in file order
     * @throws UnsupportedException if a request names a host that this reader cannot map
     */
    public List<Request> requests() {
        return hasCold() ? Request.of(site, crawler, url) : List.of();
    }

    @Override
    public String toString() {
        return decision() + " (" + basis() + ")";
    }
}
