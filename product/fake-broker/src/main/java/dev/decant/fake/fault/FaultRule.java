package dev.decant.fake.fault;

import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ApiKey;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are disturbed, and how. Owner of the loop only, but for {@link #hits()}.
 */
public final class FaultRule {
  private final Match match;
  private final Turn turn;
  private final Disturbance disturbance;
  private long matches;
  private final AtomicInteger hits = new AtomicInteger();

  /**
   * Which requests a rule is for; null matches all.
   *
   * @param api of this API
   * @param broker to this broker
   * @param clientId of this client
   * @param topic naming this topic
   * @param where for which this holds
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
   * Which of the matching requests are disturbed.
   *
   * @param first the first of them, from 1
   * @param last the last of them
   */
  public record Turn(long first, long last) {}

  /** Makes a rule. */
  public FaultRule(Match match, Turn turn, Disturbance disturbance) {
    this.match = match;
    this.turn = turn;
    this.disturbance = disturbance;
  }

  /** What to do to a request: nothing if this rule is not for it. */
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

  /** Whether it disturbs no request any more. */
  boolean isOver() {
    return matches >= turn.last();
  }

  /** How many requests it has disturbed. Any thread. */
  public int hits() {
    return hits.get();
  }
}
