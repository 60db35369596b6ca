package dev.decant.fix.status;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The schedule of a session at one moment.
 *
 * @param isOpen true if the session may log on: its window is open, and it has the numbers of the trading session
 * @param nextOpen the next opening; null if there is none within two years, as for a session that is always open
 * @param nextClose the next closing; null if there is none within two years
 * @param nextReset when sequence numbers are next reset to 1; null if the schedule resets nothing within two years
 * @param text the schedule in words
 */
public record ScheduleStatus(boolean isOpen, @Nullable Instant nextOpen, @Nullable Instant nextClose,
    @Nullable Instant nextReset, String text) {}
