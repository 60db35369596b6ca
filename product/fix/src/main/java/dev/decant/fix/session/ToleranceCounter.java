package dev.decant.fix.session;

import dev.decant.fix.dictionary.MessageValidator;
import dev.decant.fix.event.ToleratedCounts;
import dev.decant.fix.message.Leniency;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts accepted messages that break a relaxed rule. The first message of each kind is reported at once, further ones
 * once a minute at most. A counterparty that breaks a rule with each message must not fill the log. Written by the
 * owner of the session, read by any thread.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
final class ToleranceCounter implements ToleratedCounts {
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Leniency[] KINDS = Leniency.values();

  private final SessionReporter reporter;
  private final SessionTime time;
  private final AtomicLongArray counts = new AtomicLongArray(KINDS.length);
  /** The count at the last report of each kind; 0 before the first. Owner only. */
  private final long[] reported = new long[KINDS.length];
  /** The time of the last report of each kind, in nanoseconds of the monotonic clock. Owner only. */
  private final long[] reportedNanos = new long[KINDS.length];

  ToleranceCounter(SessionReporter reporter, SessionTime time) {
    this.reporter = reporter;
    this.time = time;
  }

  @Override
  public long count(Leniency leniency) {
    return counts.getOpaque(leniency.ordinal());
  }

  /**
   * Counts a message.
   *
   * @param kind the rule that it breaks
   * @param number its MsgSeqNum(34)
   * @param tag the field at fault; not positive if there is none
   */
  void add(Leniency kind, long number, int tag) {
    int at = kind.ordinal();
    long count = counts.getPlain(at) + 1;
    counts.setOpaque(at, count);
    if (reported[at] == 0 || time.nowNanos() - reportedNanos[at] >= REPORT_NANOS) {
      report(kind, count, number, tag);
    }
  }

  /**
   * Counts a message that may break several rules.
   *
   * @param validator has accepted it
   * @param number its MsgSeqNum(34)
   */
  void addAll(MessageValidator validator, long number) {
    for (Leniency kind : KINDS) {
      int tag = validator.toleratedTag(kind);
      if (tag != MessageValidator.NO_TAG) {
        add(kind, number, tag);
      }
    }
  }

  private void report(Leniency kind, long count, long number, int tag) {
    int at = kind.ordinal();
    long others = count - reported[at] - 1;
    reported[at] = count;
    reportedNanos[at] = time.nowNanos();
    reporter.tolerated(kind, count, "message " + number + (tag > 0 ? ", field " + tag : ""), others);
  }
}
