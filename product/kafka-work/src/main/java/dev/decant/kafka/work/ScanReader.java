package dev.decant.kafka.work;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.work.bridge.WorkBridge;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads which keys are pending in retry topics, by a scan of the bridge. */
final class ScanReader implements StageReader {
  private final WorkBridge<?, ?> bridge;

  ScanReader(WorkBridge<?, ?> bridge) {
    this.bridge = bridge;
  }

  @Override
  public List<Found> read(List<Part> parts) throws InterruptedException {
    Map<TopicPartition, Part> byId = new HashMap<>();
    Map<TopicPartition, PendingKeys> keys = new HashMap<>();
    Map<TopicPartition, Long> from = new LinkedHashMap<>();
    for (Part part : parts) {
      byId.put(part.id(), part);
      keys.put(part.id(), new PendingKeys());
      from.put(part.id(), part.from());
    }
    Map<TopicPartition, Long> ends = bridge.scan(from, (id, offset, key) -> {
      if (key != null && !of(byId, id).done().contains(offset)) {
        of(keys, id).add(KeyTable.hash(ByteBuffer.wrap(key), 0, key.length));
      }
    });
    return parts.stream().map(part -> new Found(of(keys, part.id()), of(ends, part.id()))).toList();
  }

  private static <T> T of(Map<TopicPartition, T> map, TopicPartition id) {
    T found = map.get(id);
    if (found == null) {
      throw new IllegalStateException("nothing is known of " + id);
    }
    return found;
  }
}
