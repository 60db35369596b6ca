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
 * @param topics its subscription
 * @param owned the partitions that it owns; none for an eager member, which has revoked them
 * @param ownedGeneration the generation that assigned them; -1 if the member does not send it
 * @param rack its rack; null if the member does not send it
 * @param userData data of its assignor; empty for none
 */
public record Subscriber(String memberId, @Nullable String instanceId, List<String> topics, List<TopicPartition> owned,
    int ownedGeneration, @Nullable String rack, ByteBuffer userData) {

  /** Static members by their instance ids, then dynamic ones by their member ids, as Apache's assignors order them. */
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
