package dev.decant.fix.session;

import dev.decant.fix.dictionary.MessageValidator;
import dev.decant.fix.event.LetThrough;
import dev.decant.fix.message.Leniency;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what a session lets through, and reports the first message of each kind at once. Further ones are reported
 * once a minute at most, so a counterparty that breaks a rule with each message does not fill the log. The owner of the
 * session counts; any thread reads.
 */
@SuppressWarnings("EnumOrdinal") // an index into arrays of this very process
final class LetThroughCounts implements LetThrough {
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Leniency[] KINDS = Leniency.values();

  private final SessionReporter reporter;
  private final SessionTime time;
  private final AtomicLongArray counts = new AtomicLongArray(KINDS.length);
  /** The count that the last report of a kind had; 0 before the first one. Owner only, as the next one. */
  private final long[] reported = new long[KINDS.length];
  /** When the last report of a kind was made. */
  private final long[] reportedNanos = new long[KINDS.length];

  LetThroughCounts(SessionReporter reporter, SessionTime time) {
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
   * @param tag the field at fault; not positive for none
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
   * @param validator has found it valid
   * @param number its MsgSeqNum(34)
   */
  void addAll(MessageValidator validator, long number) {
    for (Leniency kind : KINDS) {
      int tag = validator.letThroughTag(kind);
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
    reporter.letThrough(kind, count, "message " + number + (tag > 0 ? ", field " + tag : ""), others);
  }
}
