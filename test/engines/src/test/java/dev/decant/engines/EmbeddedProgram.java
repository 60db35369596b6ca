package dev.decant.engines;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.connect.file.FileStreamSourceConnector;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.KafkaOffsetBackingStore;

/**
 * Debezium's embedded engine with a connector for files: sends each line to a topic, and keeps the connector's offsets
 * in another one. Arguments: bootstrap servers, topic, topic of the offsets, file.
 */
final class EmbeddedProgram {
  private EmbeddedProgram() {}

  public static void main(String[] arguments) throws IOException {
    Properties settings = new Properties();
    settings.putAll(Map.of("name", "lines", "connector.class", FileStreamSourceConnector.class.getName(), "file",
        arguments[3], "topic", arguments[1], "offset.storage", KafkaOffsetBackingStore.class.getName(),
        "offset.storage.topic", arguments[2], "offset.storage.partitions", "1", "offset.storage.replication.factor",
        "1", "offset.flush.interval.ms", "1000"));
    settings.put("bootstrap.servers", arguments[0]);
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(Map.of("bootstrap.servers", arguments[0]),
        new StringSerializer(), new StringSerializer());
        DebeziumEngine<RecordChangeEvent<SourceRecord>> engine = DebeziumEngine
            .create(ChangeEventFormat.of(Connect.class)).using(settings)
            .notifying((records, committer) -> forward(records, committer, producer)).build()) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(engine)));
      engine.run();
    }
  }

  private static void forward(List<RecordChangeEvent<SourceRecord>> records,
      RecordCommitter<RecordChangeEvent<SourceRecord>> committer, KafkaProducer<String, String> producer)
      throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (RecordChangeEvent<SourceRecord> event : records) {
      SourceRecord record = event.record();
      sent.add(producer.send(new ProducerRecord<>(record.topic(), (String) record.value())));
      committer.markProcessed(event);
    }
    producer.flush();
    if (sent.stream().anyMatch(one -> one.state() != Future.State.SUCCESS)) {
      throw new IllegalStateException("a record of the source was not stored");
    }
    committer.markBatchFinished();
  }

  private static void close(DebeziumEngine<?> engine) {
    try {
      engine.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
