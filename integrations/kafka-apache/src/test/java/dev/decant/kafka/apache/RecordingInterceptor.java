package dev.decant.kafka.apache;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Appends to each value, and records its calls. Settings name it. */
public final class RecordingInterceptor implements ProducerInterceptor<String, String>, ClusterResourceListener {
  static final List<String> EVENTS = new CopyOnWriteArrayList<>();

  private String mark = "";

  /** Made by its name. */
  public RecordingInterceptor() {}

  @Override
  public void configure(Map<String, ?> configs) {
    mark = Objects.toString(configs.get("test.mark"), "");
    EVENTS.add("configured " + configs.get("client.id"));
  }

  @Override
  public void onUpdate(ClusterResource cluster) {
    EVENTS.add("cluster " + (cluster.clusterId() == null ? "unknown" : "known"));
  }

  @Override
  public ProducerRecord<String, String> onSend(ProducerRecord<String, String> record) {
    EVENTS.add("send " + record.value());
    if (record.value().equals("refuse")) {
      throw new IllegalStateException("refused by the interceptor");
    }
    return new ProducerRecord<>(record.topic(), record.partition(), record.key(), record.value() + mark);
  }

  @Override
  public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception failure, Headers headers) {
    EVENTS.add((failure == null ? "acknowledged" : failure.getClass().getSimpleName()) + " in "
        + (metadata == null ? "nothing" : metadata.partition() + " at " + metadata.offset()));
    throw new IllegalStateException("ignored");
  }

  @Override
  public void close() {
    EVENTS.add("closed");
  }
}
