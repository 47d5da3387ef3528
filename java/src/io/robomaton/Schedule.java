package io.robomaton;

import java.util.ArrayList;
import java.util.List;

/**
 * When and how often the crawlers of a group may come, and the arithmetic of it. Times are UTC, and
 * intervals are rounded up, so no crawler is faster than the file permits.
 *
 * @param delays seconds between documents, as {@code Crawl-delay} says, in milliseconds
 * @param rates documents per time ({@code Request-rate})
 * @param visits the times of the day to come in ({@code Visit-time}); none for any time
 * @param comments texts for the author of the crawler
 */
public record Schedule(List<Long> delays, List<Rate> rates, List<Window> visits, List<String> comments) {
    /** No record about time. */
    static final Schedule NONE = new Schedule(List.of(), List.of(), List.of(), List.of());

    private static final int MINUTES = 1440;
    private static final long DAY = 86_400_000;
    private static final long MINUTE = 60_000;

    /**
     * A part of the day, in minutes since midnight: from one minute through another, past midnight where
     * the end comes first, and the whole day where they are equal.
     *
     * @param from the first minute, below 1440
     * @param to the last minute, at most 1440
     */
    public record Window(int from, int to) {
        /**
         * True if the window has this minute of the day.
         *
         * @param minute a minute, from 0
         * @return true if it has
         */
        public boolean contains(int minute) {
            if (minute >= MINUTES) {
                return false;
            }
            return from < to ? from <= minute && minute <= to : minute >= from || minute <= to || from == to;
        }
    }

    /**
     * So many documents in so much time.
     *
     * @param documents a count, not 0
     * @param seconds seconds, not 0
     * @param window when the rate is in force; null for always
     */
    public record Rate(long documents, long seconds, Window window) {
        /**
         * The time for each document.
         *
         * @return milliseconds
         */
        public long millis() {
            return (seconds * 1000 + documents - 1) / documents;
        }

        private boolean isSlowerThan(Rate other) {
            // Products of two numbers of 32 bits, which may fill 64.
            return Long.compareUnsigned(documents * other.seconds, other.documents * seconds) < 0;
        }
    }

    static Schedule read(Postcard in) {
        return new Schedule(in.list(Postcard::u64), in.list(Schedule::rate), in.list(Schedule::window), in.strings());
    }

    private static Rate rate(Postcard in) {
        long documents = in.u32();
        long seconds = in.u32();
        if (documents == 0 || seconds == 0) {
            throw Damage.FOUND;
        }
        return new Rate(documents, seconds, in.bool() ? window(in) : null);
    }

    private static Window window(Postcard in) {
        Window window = new Window(in.u16(), in.u16());
        if (window.from >= MINUTES || window.to > MINUTES) {
            throw Damage.FOUND;
        }
        return window;
    }

    /** All records of these groups. */
    static Schedule of(List<Schedule> groups) {
        Schedule all = new Schedule(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (Schedule group : groups) {
            all.delays.addAll(group.delays);
            all.rates.addAll(group.rates);
            all.visits.addAll(group.visits);
            all.comments.addAll(group.comments);
        }
        return all;
    }

    /** The longest delay in milliseconds, as a number without a sign; null if there is none. */
    Long longestDelay() {
        return delays.stream().max(Long::compareUnsigned).orElse(null);
    }

    /**
     * True if a visit is welcome at a time.
     *
     * @param now seconds since 1970
     * @return true if it is
     */
    public boolean mayVisit(long now) {
        return isOpen(minute(now * 1000));
    }

    /**
     * The rate in force at a time: rates for that time of the day come before those for any, and slower
     * ones before faster ones.
     *
     * @param now seconds since 1970
     * @return the rate, or null
     */
    public Rate rateAt(long now) {
        return rateIn(minute(now * 1000));
    }

    /**
     * The time to wait until the next document: until a visit is welcome, and until the interval then in
     * force has passed since the last document.
     *
     * @param now seconds since 1970
     * @param lastVisit the time of the last document, or -1 if there was none
     * @return milliseconds
     */
    public long waitMillis(long now, long lastVisit) {
        long millis = now * 1000;
        long least = Long.MAX_VALUE;
        for (int minute = 0; minute < MINUTES; minute++) {
            if (isOpen(minute)) {
                long interval = lastVisit < 0 ? 0 : intervalIn(minute);
                long due = Math.max(millis, add(Math.min(lastVisit, now) * 1000, interval));
                least = Math.min(least, nextIn(minute, due));
            }
        }
        return least == Long.MAX_VALUE ? 0 : least - millis;
    }

    private static long add(long one, long other) {
        long sum = one + other;
        return other < 0 || sum < one ? Long.MAX_VALUE - 2 * DAY : Math.min(sum, Long.MAX_VALUE - 2 * DAY);
    }

    /** The first time within this minute of a day that is not before the time. */
    private static long nextIn(int minute, long time) {
        long start = time - time % DAY + minute * MINUTE;
        return time < start + MINUTE ? Math.max(time, start) : start + DAY;
    }

    private static int minute(long millis) {
        return (int) (millis % DAY / MINUTE);
    }

    private boolean isOpen(int minute) {
        return visits.isEmpty() || visits.stream().anyMatch(window -> window.contains(minute));
    }

    private Rate rateIn(int minute) {
        Rate timed = null;
        Rate always = null;
        for (Rate rate : rates) {
            if (rate.window == null) {
                always = always == null || rate.isSlowerThan(always) ? rate : always;
            } else if (rate.window.contains(minute)) {
                timed = timed == null || rate.isSlowerThan(timed) ? rate : timed;
            }
        }
        return timed != null ? timed : always;
    }

    private long intervalIn(int minute) {
        Rate rate = rateIn(minute);
        long byRate = rate == null ? 0 : rate.millis();
        Long delay = longestDelay();
        return delay != null && Long.compareUnsigned(delay, byRate) > 0 ? delay : byRate;
    }
}
