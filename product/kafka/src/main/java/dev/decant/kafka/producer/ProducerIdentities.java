package dev.decant.kafka.producer;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The producer ids of a client: its producers share one, since a broker numbers batches for each partition apart.
 *
 * <p>Two producers of one topic never share an id. The second one would begin with numbers that the first has used, and
 * brokers would take its batches for duplicates. Any thread.
 */
final class ProducerIdentities {
  /** Bound of {@link #topics}, for topics that come and go: another id costs one request. */
  private static final int MOST_TOPICS = 10_000;

  private final Supplier<ProducerIdentity> maker;
  // Under the monitor.
  private @Nullable ProducerIdentity current;
  /** The topics of all producers, open or closed, that have the present id. */
  private final Set<String> topics = new HashSet<>();

  /**
   * Begins without an id.
   *
   * @param maker makes an identity that no producer has
   */
  ProducerIdentities(Supplier<ProducerIdentity> maker) {
    this.maker = maker;
  }

  /** The identity for a producer that is being opened. */
  synchronized ProducerIdentity of(String topic) {
    ProducerIdentity known = current;
    if (known == null || topics.contains(topic) || topics.size() >= MOST_TOPICS) {
      known = maker.get();
      current = known;
      topics.clear();
    }
    topics.add(topic);
    return known;
  }
}
