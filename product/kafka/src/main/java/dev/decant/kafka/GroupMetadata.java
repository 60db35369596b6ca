package dev.decant.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The group member that commits offsets. The coordinator takes offsets only from a present member of the group, so a
 * member that was removed cannot overwrite the commits of its successor (KIP-447).
 *
 * @param groupId the group
 * @param generation generation of the group, or epoch of the member (KIP-848); -1 without one
 * @param memberId the member's id in the group; empty without one
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
   * Makes the metadata of a group whose partitions are assigned by hand: no member is fenced.
   *
   * @param groupId the group
   */
  public GroupMetadata(String groupId) {
    this(groupId, NONE, "", null);
  }
}
