package dev.decant.fake.fault;

import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ApiKey;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The requests to disturb, and the disturbance. Owner of the loop only, except {@link #hits()}. */
public final class FaultRule {
  private final Match match;
  private final Turn turn;
  private final Disturbance disturbance;
  private long matches;
  private final AtomicInteger hits = new AtomicInteger();

  /**
   * The conditions of a rule; null matches all requests.
   *
   * @param api API of the request
   * @param broker broker that received it
   * @param clientId client that sent it
   * @param topic a topic that the request names
   * @param where condition that a test gives
   */
  public record Match(@Nullable ApiKey api, @Nullable Integer broker, @Nullable String clientId,
      @Nullable String topic, @Nullable Predicate<JournalEntry> where) {
    boolean holds(JournalEntry entry, Collection<String> topics) {
      return (api == null || api == entry.api()) && (broker == null || broker == entry.broker())
          && (clientId == null || clientId.equals(entry.clientId())) && (topic == null || topics.contains(topic))
          && (where == null || where.test(entry));
    }
  }

  /**
   * The matching requests that are disturbed.
   *
   * @param first number of the first of them, from 1
   * @param last number of the last of them
   */
  public record Turn(long first, long last) {}

  public FaultRule(Match match, Turn turn, Disturbance disturbance) {
    this.match = match;
    this.turn = turn;
    this.disturbance = disturbance;
  }

  /** Counts a request, and returns its disturbance; {@link Disturbance#NONE} if the rule does not match. */
  Disturbance apply(JournalEntry entry, Collection<String> topics) {
    if (!match.holds(entry, topics)) {
      return Disturbance.NONE;
    }
    matches++;
    if (matches < turn.first() || matches > turn.last()) {
      return Disturbance.NONE;
    }
    hits.incrementAndGet();
    return disturbance;
  }

  /** Returns true if the rule will disturb no further request. */
  boolean isOver() {
    return matches >= turn.last();
  }

  /** Returns the number of disturbed requests. Any thread. */
  public int hits() {
    return hits.get();
  }
}
