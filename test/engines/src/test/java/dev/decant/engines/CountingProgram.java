package dev.decant.engines;

import dev.decant.kafka.streams.DecantClientSupplier;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Counts the records of each key, exactly once: by a repartition topic, a store and its changelog. Arguments: bootstrap
 * servers, application id and input topic, output topic, state directory, {@link Clients}.
 */
final class CountingProgram {
  private CountingProgram() {}

  public static void main(String[] arguments) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.<String, String>stream(arguments[1])
        .groupBy((key, line) -> key, Grouped.with("by-key", Serdes.String(), Serdes.String()))
        .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counted"))
        .toStream()
        .to(arguments[2], Produced.with(Serdes.String(), Serdes.Long()));
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[1]);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[3]);
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0); // each record is a record of the output
    settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    KafkaStreams streams = Clients.valueOf(arguments[4]) == Clients.SUPPLIER
        ? new KafkaStreams(builder.build(), settings, new DecantClientSupplier())
        : new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }
}
