package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who commits offsets for a group: the coordinator takes them only from a member of the group as it is now, so that a
 * member that was given up cannot overwrite what its successor has committed (KIP-447).
 *
 * @param groupId the group
 * @param generation generation of the group, or epoch of the member (KIP-848); -1 without one
 * @param memberId as the group knows the member; empty without one
 * @param instanceId Kafka's {@code group.instance.id}; null without one
 */
public record GroupMetadata(String groupId, int generation, String memberId, @Nullable String instanceId) {

  private static final int NONE = -1;

  /** Checks the names. */
  public GroupMetadata {
    Objects.requireNonNull(memberId, "memberId");
    if (groupId.isBlank()) {
      throw new IllegalArgumentException("groupId: the name is empty");
    }
  }

  /**
   * Of a group whose partitions are assigned by hand: nobody is fenced.
   *
   * @param groupId the group
   */
  public GroupMetadata(String groupId) {
    this(groupId, NONE, "", null);
  }
}
