package io.robomaton;

import java.util.List;

/**
 * What a record in a language of preferences, such as a line {@code Content-Signal}, says about a use.
 *
 * @param language the language, such as {@code content-signals}
 * @param carrier where it stands: {@code robots}, {@code header}, {@code page}, {@code tdmrep}, {@code rsl}
 *     or {@code ai-txt}
 * @param line the line, or the number of the rule in its document, from 1; 0 if it has none
 * @param document the document that contains it; null for the robots.txt of the site
 * @param usage the usage that it speaks of: the one in question, or a part of it
 * @param effect what it says at the time of the question: {@code disallowed}, {@code conditional}, {@code
 *     allowed}, {@code unread} or {@code unstated}
 * @param fate {@code decides}, {@code stands} (others decide) or {@code beaten}
 * @param text the record as written
 * @param conditions the conditions of a permission
 */
public record Statement(
        String language, String carrier, long line, String document, String usage, String effect, String fate,
        String text, List<Condition> conditions) {}
