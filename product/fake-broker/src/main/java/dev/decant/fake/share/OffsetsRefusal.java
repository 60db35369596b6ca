package dev.decant.fake.share;

import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Topic;
import dev.decant.fake.group.Group;
import dev.decant.kafka.protocol.ErrorCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The refusal to change the offsets of a share group, or of one of its topics. It becomes part of a response, so it has
 * no stack trace.
 */
final class OffsetsRefusal extends Exception {
  @Serial
  private static final long serialVersionUID = 1L;

  /** The error code of the response. */
  private final ErrorCode error;

  /** The message is the text of the response, null for none. */
  OffsetsRefusal(ErrorCode error, @Nullable String message) {
    super(message, null, false, false);
    this.error = error;
  }

  /** Returns the refusal for an unknown partition or topic. */
  static OffsetsRefusal ofUnknownPartition() {
    return new OffsetsRefusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.");
  }

  /** Returns the text of a broker for an error of a whole request; null for none. */
  static @Nullable String messageOf(ErrorCode error) {
    return error == ErrorCode.GROUP_AUTHORIZATION_FAILED ? "Group authorization failed." : null;
  }

  ErrorCode error() {
    return error;
  }

  /** Returns a share group whose offsets may be changed, since it has no members; null if there is no such group. */
  static @Nullable ShareGroup group(ShareGroups groups, String groupId, RequestContext context)
      throws OffsetsRefusal {
    if (!groups.areEnabled()) {
      throw new OffsetsRefusal(ErrorCode.UNSUPPORTED_VERSION, null);
    }
    if (groupId.isEmpty()) {
      throw new OffsetsRefusal(ErrorCode.INVALID_GROUP_ID, null);
    }
    if (!groups.coordinator().isAt(context, groupId)) {
      throw new OffsetsRefusal(ErrorCode.NOT_COORDINATOR, null);
    }
    Group known = groups.coordinator().find(groupId);
    if (known != null && !(known instanceof ShareGroup)) {
      throw new OffsetsRefusal(ErrorCode.GROUP_ID_NOT_FOUND, "Group " + groupId + " is not a share group.");
    }
    if (known != null && !known.isEmpty()) {
      throw new OffsetsRefusal(ErrorCode.NON_EMPTY_GROUP, "The group is not empty.");
    }
    return groups.find(groupId);
  }

  /** Returns a topic that the client may read. A client without the right does not learn whether the topic exists. */
  static Topic topic(ShareGroups groups, String name, RequestContext context) throws OffsetsRefusal {
    if (!context.access().mayReadTopic(name)) {
      throw new OffsetsRefusal(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.");
    }
    Topic topic = groups.cluster().topics().named(name);
    if (topic == null) {
      throw ofUnknownPartition();
    }
    return topic;
  }
}
