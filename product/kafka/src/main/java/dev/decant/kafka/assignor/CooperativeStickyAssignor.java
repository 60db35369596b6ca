package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** Balances first, with as few moves as possible; {@link StickyBalance} has the algorithm. */
final class CooperativeStickyAssignor implements Assignor {
  @Override
  public String name() {
    return "cooperative-sticky";
  }

  @Override
  public Kind kind() {
    return Kind.COOPERATIVE;
  }

  @Override
  public Map<String, List<TopicPartition>> assign(Map<String, TopicLayout> topics, List<Subscriber> members) {
    return new StickyBalance(topics, members).assignment();
  }

  /** Returns the generation, for leaders too old to read it from the subscription. */
  @Override
  public byte[] userData(int ownedGeneration) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(ownedGeneration).array();
  }
}
