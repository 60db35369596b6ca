package dev.decant.opentelemetry;

import dev.decant.kafka.event.ProducerListener;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import java.util.HashMap;
import java.util.Map;

/** Records how long batches took, from their first record to the broker's response, by topic. */
final class SendDuration implements ProducerListener {
  private final DoubleHistogram histogram;
  private final Attributes send;
  /** Topics may come and go: so many are remembered before all are forgotten. */
  private static final int MOST_TOPICS = 1_000;

  /** Written and read by the owner of the client's loop. */
  private final Map<String, Attributes> byTopic = new HashMap<>();

  SendDuration(Meter meter, ClientAttributes attributes) {
    histogram = Durations.histogram(meter, "messaging.client.operation.duration",
        "From a batch's first record to its being stored");
    send = attributes.operation("send", "send");
  }

  @Override
  public void onBatchAcknowledged(String topic, int partition, long baseOffset, int records, int bytes, long nanos) {
    Attributes attributes = byTopic.get(topic);
    if (attributes == null) {
      attributes = send.toBuilder().put(ClientAttributes.DESTINATION, topic).build();
      if (byTopic.size() >= MOST_TOPICS) {
        byTopic.clear();
      }
      byTopic.put(topic, attributes);
    }
    histogram.record(Durations.seconds(nanos), attributes);
  }
}
