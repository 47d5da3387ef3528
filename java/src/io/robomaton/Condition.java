package io.robomaton;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * A condition of a permission, such as {@code max-length=9-words}. All conditions of a verdict must be
 * met.
 *
 * <p>Conditions are ordered and equal as in SPEC.md, section 7: by kind, then by value. The text is that
 * of the command. It does not know whether it is met.
 */
public final class Condition implements Comparable<Condition> {
    private static final int MAX_CHARS = 1;
    private static final int MAX_WORDS = 2;
    private static final int UNTIL = 10;
    private static final int MAX_SECONDS = 11;
    private static final int LICENSE = 17;
    private static final int KINDS = ConditionKind.values().length;
    private static final List<String> MODIFICATIONS =
            List.of("any", "format", "style", "translation", "annotation");
    private static final List<String> PLACES = List.of("credit", "link", "icon", "text");
    private static final List<String> LOCATORS = List.of("id:", "class:", "meta:", "");

    private final int kind;
    private final long number;
    private final byte[] key;
    private final String text;
    /** The alternatives of a licence. */
    private final List<Alternative> alternatives;

    /** The terms of one licence: their order, and their text. */
    private record Alternative(byte[] key, String text) implements Comparable<Alternative> {
        @Override
        public int compareTo(Alternative other) {
            return Arrays.compareUnsigned(key, other.key);
        }
    }

    /** Bytes that ascend as values do. */
    private static final class Key {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        int put(int octet) {
            bytes.write(octet);
            return octet;
        }

        long number(long number) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                bytes.write((int) (number >>> shift));
            }
            return number;
        }

        /** A zero ends the text; one inside it is told apart by what follows. */
        String text(String text) {
            for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
                bytes.write(octet);
                if (octet == 0) {
                    bytes.write(1);
                }
            }
            bytes.write(0);
            bytes.write(0);
            return text;
        }

        List<String> texts(List<String> texts) {
            for (String text : texts) {
                bytes.write(1);
                text(text);
            }
            bytes.write(0);
            return texts;
        }

        byte[] done() {
            return bytes.toByteArray();
        }
    }

    private Condition(int kind, long number, byte[] key, String text, List<Alternative> alternatives) {
        this.kind = kind;
        this.number = number;
        this.key = key;
        this.text = text;
        this.alternatives = alternatives;
    }

    static Condition read(Postcard in) {
        int kind = in.below(KINDS);
        if (kind == LICENSE) {
            return license(in.list(Condition::alternative));
        }
        Key key = new Key();
        key.put(kind);
        long number = 0;
        if (kind == MAX_CHARS || kind == MAX_WORDS || kind == MAX_SECONDS) {
            number = key.number(in.u32());
        } else if (kind == UNTIL) {
            number = in.i64();
            key.number(number ^ Long.MIN_VALUE);
        }
        // The key is whole once the text is read.
        String text = text(kind, number, in, key);
        return new Condition(kind, number, key.done(), text, List.of());
    }

    private static String text(int kind, long number, Postcard in, Key key) {
        switch (kind) {
            case 0:
                return "time-limit=" + timeLimit(in, key);
            case MAX_CHARS:
                return "max-length=" + number + "-chars";
            case MAX_WORDS:
                return "max-length=" + number + "-words";
            case 3:
                return "prohibited-modification=" + MODIFICATIONS.get(key.put(in.below(MODIFICATIONS.size())));
            case 4:
                return "must-use-resource=" + used(in, key);
            case 5:
                return "must-include-resource=" + included(in, key);
            case 6:
                return "prohibited-context=within-user-frame";
            case 7:
                return "required-context=within-original-frame";
            case 8:
                return "location=" + key.text(in.string());
            case 9:
                String name = key.text(in.string());
                String value = key.text(in.string());
                return value.isEmpty() ? name : name + "=" + value;
            case UNTIL:
                return "until=" + utc(number);
            case MAX_SECONDS:
                return "max-video-preview=" + number + "-seconds";
            case 12:
                return "max-image-preview=standard";
            case 13:
                return "embedded";
            case 14:
                return "not-images";
            case 15:
                return "only=snippet|title|url";
            default:
                return "tdm-policy=" + key.text(in.string());
        }
    }

    private static String timeLimit(Postcard in, Key key) {
        switch (key.put(in.below(3))) {
            case 0:
                return "until-recrawled";
            case 1:
                long year = key.number(in.u16());
                int month = key.put(in.u8());
                int day = key.put(in.u8());
                return String.format(java.util.Locale.ROOT, "until-%04d-%02d-%02d", year, month, day);
            default:
                return key.number(in.u32()) + "-days";
        }
    }

    private static String used(Postcard in, Key key) {
        int kind = key.put(in.below(LOCATORS.size()));
        String locator = LOCATORS.get(kind) + key.text(in.string());
        return kind == LOCATORS.size() - 1 ? locator : "the-acap:extract:" + locator;
    }

    private static String included(Postcard in, Key key) {
        String place = "";
        if (in.bool()) {
            key.put(1);
            place = "the-acap:" + PLACES.get(key.put(in.below(PLACES.size()))) + ":";
        } else {
            key.put(0);
        }
        int kind = key.put(in.below(LOCATORS.size()));
        return place + LOCATORS.get(kind) + key.text(in.string());
    }

    /** Seconds since 1970 as a time, whatever the year. */
    private static String utc(long seconds) {
        // Four centuries are a whole number of days; a time that Java knows no year for is moved by them.
        long span = 146_097L * 86_400;
        long eras = Math.floorDiv(seconds, span);
        ZonedDateTime time = Instant.ofEpochSecond(Math.floorMod(seconds, span)).atZone(ZoneOffset.UTC);
        long year = time.getYear() + 400 * eras;
        return String.format(java.util.Locale.ROOT, "%04d-%02d-%02dT%02d:%02d:%02dZ", year,
                time.getMonthValue(), time.getDayOfMonth(), time.getHour(), time.getMinute(), time.getSecond());
    }

    private static Alternative alternative(Postcard in) {
        Key key = new Key();
        List<String> terms = in.list(of -> {
            key.put(1);
            return term(of, key);
        });
        key.put(0);
        return new Alternative(key.done(), String.join(" ", terms));
    }

    private static String term(Postcard in, Key key) {
        switch (key.put(in.below(5))) {
            case 0:
                StringBuilder payment = new StringBuilder("payment=" + key.text(in.string()));
                String amount = key.text(in.string());
                List<String> parts = new ArrayList<>(amount.isEmpty() ? List.of() : List.of(amount));
                parts.addAll(key.texts(in.strings()));
                parts.addAll(key.texts(in.strings()));
                parts.forEach(part -> payment.append('(').append(part).append(')'));
                return payment.toString();
            case 1:
                return "license-server=" + key.text(in.string());
            case 2:
                String reports = key.text(in.string());
                String profile = key.text(in.string());
                return "reporting=" + reports + (profile.isEmpty() ? "" : "(" + profile + ")");
            case 3:
                return "user=" + choice(in, key);
            default:
                return "geo=" + choice(in, key);
        }
    }

    private static String choice(Postcard in, Key key) {
        StringBuilder choice = new StringBuilder(String.join("|", key.texts(in.strings())));
        key.texts(in.strings()).forEach(name -> choice.append('!').append(name));
        return choice.toString();
    }

    private static Condition license(List<Alternative> alternatives) {
        Key key = new Key();
        key.put(LICENSE);
        List<String> texts = new ArrayList<>();
        for (Alternative alternative : alternatives) {
            key.put(1);
            key.bytes.writeBytes(alternative.key);
            texts.add(alternatives.size() == 1 ? alternative.text : "[" + alternative.text + "]");
        }
        key.put(0);
        String text = (texts.size() == 1 ? "" : "any-of=") + String.join("|", texts);
        return new Condition(LICENSE, 0, key.done(), text, alternatives);
    }

    /**
     * What the condition is about.
     *
     * @return its kind
     */
    public ConditionKind kind() {
        return ConditionKind.of(kind);
    }

    /**
     * The number that a condition consists of: characters, words or seconds at most, or the time before which
     * the use is permitted, in seconds since 1970.
     *
     * @return the number; empty for conditions of other kinds
     */
    public OptionalLong limit() {
        return isLimit() ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /**
     * What stands behind the {@code =} of the text.
     *
     * @return such as {@code 3-days} of {@code time-limit=3-days}; empty if there is no {@code =}
     */
    public String value() {
        return text.substring(text.indexOf('=') < 0 ? text.length() : text.indexOf('=') + 1);
    }

    private boolean isLimit() {
        return kind == MAX_CHARS || kind == MAX_WORDS || kind == UNTIL || kind == MAX_SECONDS;
    }

    boolean isLicense() {
        return kind == LICENSE;
    }

    /** One condition of all these licences: that of any of them is to be met. */
    static Condition anyOf(List<Condition> licenses) {
        TreeSet<Alternative> all = new TreeSet<>();
        licenses.forEach(license -> all.addAll(license.alternatives));
        return license(List.copyOf(all));
    }

    /** True if the condition is the end of a permission, and that time has come. */
    boolean hasEnded(long now) {
        return kind == UNTIL && now >= number;
    }

    /** All distinct conditions in their order; of limits of one kind, with {@code strictest} the least. */
    static List<Condition> sorted(List<Condition> conditions, boolean strictest) {
        List<Condition> sorted = new ArrayList<>(conditions);
        Collections.sort(sorted);
        List<Condition> kept = new ArrayList<>();
        for (Condition condition : sorted) {
            Condition last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
            boolean isLooser = strictest && condition.isLimit() && last != null && last.kind == condition.kind;
            if (!condition.equals(last) && !isLooser) {
                kept.add(condition);
            }
        }
        return kept;
    }

    @Override
    public int compareTo(Condition other) {
        return Arrays.compareUnsigned(key, other.key);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition && Arrays.equals(key, ((Condition) other).key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    /**
     * The condition as the command prints it.
     *
     * @return such as {@code time-limit=3-days}
     */
    @Override
    public String toString() {
        return text;
    }
}
