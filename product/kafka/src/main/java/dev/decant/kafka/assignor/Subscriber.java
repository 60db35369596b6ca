package dev.decant.kafka.assignor;

import dev.decant.kafka.TopicPartition;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A member as the leader of its group knows it.
 *
 * @param memberId as the coordinator names it
 * @param instanceId Kafka's {@code group.instance.id}; null for a dynamic member
 * @param topics what it wants to read
 * @param owned what it has now; eager members have given everything up
 * @param ownedGeneration the generation in which it was given that; -1 if it does not say
 * @param rack where it is; null if it does not say
 * @param userData what its assignor adds; empty for nothing
 */
public record Subscriber(String memberId, @Nullable String instanceId, List<String> topics, List<TopicPartition> owned,
    int ownedGeneration, @Nullable String rack, ByteBuffer userData) {

  /** Static members by their instance ids, then dynamic ones by their member ids: the order that Apache's use. */
  static final Comparator<Subscriber> ORDER = (a, b) -> {
    String left = a.instanceId;
    String right = b.instanceId;
    if (left != null && right != null) {
      return left.compareTo(right);
    }
    if (left != null || right != null) {
      return left != null ? -1 : 1;
    }
    return a.memberId.compareTo(b.memberId);
  };

  /** Copies the lists, and makes the bytes read-only. */
  public Subscriber {
    Objects.requireNonNull(memberId, "memberId");
    topics = List.copyOf(Objects.requireNonNull(topics, "topics"));
    owned = List.copyOf(Objects.requireNonNull(owned, "owned"));
    userData = userData.asReadOnlyBuffer();
  }
}
