package dev.decant.kafka.work.apache;

import dev.decant.kafka.apache.ApacheSerialization;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Sets up {@link Work} on Apache's clients in place of Decant's. Order, bounds, retries, retry topics, dead letters and
 * the metadata of commits are the same. One member of a group may use Apache's clients, and another one Decant's.
 *
 * <pre>
 * Work work = ApacheWork.on(settings, new StringDeserializer(), new StringDeserializer())
 *     .group("billing").subscribe("orders").deadLetters("orders-dead").open(record -&gt; bill(record.value()));
 * </pre>
 *
 * <p>Two settings of {@link WorkBuilder} throw an {@link IllegalArgumentException}: {@link WorkBuilder#exactlyOnce},
 * which needs Decant's transactions, and {@link WorkBuilder#consumer}, which changes Decant's consumer.
 *
 * <p>Any thread may call any method.
 */
public final class ApacheWork {
  private ApacheWork() {}

  /**
   * Begins to set up work on {@code KafkaConsumer} and {@code KafkaProducer}.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param settings of the consumer, as {@link ApacheClients#of} takes them
   * @param keys reads keys, on the threads of handlers, several at once; the caller configures it before and closes it
   *     after the work
   * @param values reads values in the same way
   * @return a builder
   * @throws IllegalArgumentException if a setting contradicts the work
   */
  public static <K, V> WorkBuilder<K, V> on(Map<String, Object> settings, Deserializer<? extends K> keys,
      Deserializer<? extends V> values) {
    return on(ApacheClients.of(settings), keys, values);
  }

  /**
   * Begins to set up work on clients that the caller chooses.
   *
   * @param <K> type of keys
   * @param <V> type of values
   * @param clients makes them
   * @param keys reads keys, on the threads of handlers, several at once; the caller configures it before and closes it
   *     after the work
   * @param values reads values in the same way
   * @return a builder, whose group is that of the consumer's settings, if they have one
   * @throws IllegalArgumentException if a setting contradicts the work
   */
  public static <K, V> WorkBuilder<K, V> on(ApacheClients clients, Deserializer<? extends K> keys,
      Deserializer<? extends V> values) {
    ClientSettings settings = Objects.requireNonNull(clients, "clients").settings();
    settings.requireSame("key.deserializer", Objects.requireNonNull(keys, "keys"));
    settings.requireSame("value.deserializer", Objects.requireNonNull(values, "values"));
    Decoder<K> keyDecoder = ApacheSerialization.decoder(keys);
    Decoder<V> valueDecoder = ApacheSerialization.decoder(values);
    WorkBuilder<K, V> builder = Work.on(new ApacheBridge<>(clients, keyDecoder, valueDecoder), keyDecoder,
        valueDecoder);
    String group = settings.group();
    return group.isEmpty() ? builder : builder.group(group);
  }
}
