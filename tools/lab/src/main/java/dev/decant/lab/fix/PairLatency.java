package dev.decant.lab.fix;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time between a message and the first message of the other direction that has the same value of a field,
 * for example between an order and its first report by ClOrdID(11). Takes lines in their order. One thread at a time.
 */
public final class PairLatency {
  private static final int MOST_OPEN = 1_000_000;
  private static final double NANOS_PER_MICROSECOND = 1e3;

  private final String tag;
  /** Messages without a response, oldest first. */
  private final Map<String, LogLine> open = new LinkedHashMap<>();
  private long[] nanos = new long[1024];
  private int pairs;
  private long dropped;

  /**
   * Starts without messages.
   *
   * @param tag the field that both messages have
   */
  public PairLatency(String tag) {
    this.tag = tag;
  }

  /**
   * Takes a message.
   *
   * @param line the message
   * @param fields its fields
   * @return a line about the pair, if the message is a response; null otherwise
   */
  public @Nullable String add(LogLine line, List<LogLine.Field> fields) {
    String value = line.isMessage() ? LogLine.value(fields, tag) : null;
    if (value == null) {
      return null;
    }
    String key = line.session() + ' ' + value;
    LogLine request = open.get(key);
    if (request == null) {
      if (open.size() == MOST_OPEN) { // a log of days may have many orders without a response
        open.remove(open.keySet().iterator().next());
        dropped++;
      }
      open.put(key, line);
      return null;
    }
    if (request.direction().equals(line.direction())) {
      return null;
    }
    open.remove(key);
    long took = Duration.between(request.time(), line.time()).toNanos();
    if (pairs == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * pairs);
    }
    nanos[pairs++] = took;
    return String.format(Locale.ROOT, "%s %s %s=%s %.0f us", request.time(), line.session(), tag, value,
        took / NANOS_PER_MICROSECOND);
  }

  /**
   * Sums up the pairs.
   *
   * @return lines for people
   */
  public String summary() {
    if (pairs == 0) {
      return "no pairs of messages have the same value of tag " + tag + "; " + open.size() + " are without a response";
    }
    long[] sorted = Arrays.copyOf(nanos, pairs);
    Arrays.sort(sorted);
    return String.format(Locale.ROOT,
        "%d pairs by tag %s, in us: min %.0f, p50 %.0f, p90 %.0f, p99 %.0f, p99.9 %.0f, max %.0f; %d without"
            + " a response",
        pairs, tag, micros(sorted, 0), micros(sorted, 0.5), micros(sorted, 0.9), micros(sorted, 0.99),
        micros(sorted, 0.999), micros(sorted, 1), open.size() + dropped);
  }

  private static double micros(long[] sorted, double quantile) {
    int rank = (int) Math.ceil(quantile * sorted.length) - 1;
    return sorted[Math.max(0, rank)] / NANOS_PER_MICROSECOND;
  }
}
