package dev.decant.kafka.work;

import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.serialization.Encoder;
import java.util.Objects;

/**
 * A topic that handlers produce results to, with the types of its records. Immutable; one object serves all handlers.
 *
 * <pre>
 * static final ResultTopic&lt;String, Long&gt; BILLS = ResultTopic.of("bills", Serdes.string(), Serdes.longs());
 * </pre>
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class ResultTopic<K, V> {
  private final String name;
  private final Encoder<? super K> keys;
  private final Encoder<? super V> values;

  private ResultTopic(String name, Encoder<? super K> keys, Encoder<? super V> values) {
    this.name = name;
    this.keys = keys;
    this.values = values;
  }

  /**
   * Names a topic.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param name of the topic
   * @param keys writes keys, on the threads of handlers
   * @param values writes values, on the threads of handlers
   * @return the topic, for {@link WorkContext#produce}
   * @throws IllegalArgumentException if a topic cannot have this name
   */
  public static <K, V> ResultTopic<K, V> of(String name, Encoder<? super K> keys, Encoder<? super V> values) {
    return new ResultTopic<>(TopicName.requireLegal("ResultTopic", name), Objects.requireNonNull(keys, "keys"),
        Objects.requireNonNull(values, "values"));
  }

  /**
   * The topic.
   *
   * @return its name
   */
  public String name() {
    return name;
  }

  Encoder<? super K> keys() {
    return keys;
  }

  Encoder<? super V> values() {
    return values;
  }

  @Override
  public String toString() {
    return name;
  }
}
