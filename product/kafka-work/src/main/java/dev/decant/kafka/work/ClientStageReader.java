package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads retry topics with a consumer that has no group. */
final class ClientStageReader implements StageReader {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final KafkaClient client;
  /** Whether copies are stored in transactions. */
  private final boolean isTransactional;

  ClientStageReader(KafkaClient client, boolean isTransactional) {
    this.client = client;
    this.isTransactional = isTransactional;
  }

  @Override
  public List<Found> read(List<Part> parts) throws InterruptedException {
    List<TopicPartition> ids = parts.stream().map(Part::id).toList();
    // The end is that of the log. The member before may have committed copies that readers of committed records do not
    // see yet: these have to be counted, and those of aborted transactions must not be.
    Map<TopicPartition, Long> ends;
    try (Consumer<byte[], byte[]> asks = client.consumer(Serdes.bytes(), Serdes.bytes()).open()) {
      ends = asks.endOffsets(ids, TIMEOUT);
    }
    try (Consumer<byte[], byte[]> reader = client.consumer(Serdes.bytes(), Serdes.bytes())
        .isolationLevel(isTransactional ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED)
        .offsetReset(OffsetReset.EARLIEST).open()) {
      Map<TopicPartition, Long> begins = reader.beginningOffsets(ids, TIMEOUT);
      Map<TopicPartition, Part> byId = new HashMap<>();
      Map<TopicPartition, PendingKeys> keys = new HashMap<>();
      for (Part part : parts) {
        byId.put(part.id(), part);
        keys.put(part.id(), new PendingKeys());
      }
      reader.assign(ids);
      List<TopicPartition> left = new ArrayList<>(ids);
      for (TopicPartition id : ids) {
        long from = Math.max(of(byId, id).from(), of(begins, id));
        reader.seek(id.topic(), id.partition(), from);
        if (from >= of(ends, id)) {
          left.remove(id);
        }
      }
      while (!left.isEmpty()) {
        reader.poll(POLL, record -> {
          TopicPartition id = new TopicPartition(record.topic(), record.partition());
          byte[] key = record.keyBytesCopy();
          if (key != null && record.offset() < of(ends, id) && !of(byId, id).done().contains(record.offset())) {
            of(keys, id).add(KeyTable.hash(ByteBuffer.wrap(key), 0, key.length));
          }
        });
        for (TopicPartition id : List.copyOf(left)) {
          if (reader.position(id.topic(), id.partition(), TIMEOUT) >= of(ends, id)) {
            left.remove(id);
          }
        }
      }
      return parts.stream().map(part -> new Found(of(keys, part.id()), of(ends, part.id()))).toList();
    }
  }

  private static <T> T of(Map<TopicPartition, T> map, TopicPartition id) {
    T found = map.get(id);
    if (found == null) {
      throw new IllegalStateException("nothing is known of " + id);
    }
    return found;
  }
}
