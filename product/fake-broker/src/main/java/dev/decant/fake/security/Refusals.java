package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.Operations;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topic;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/** The error of each type of resource, for operations that the client may not do. */
final class Refusals {
  private Refusals() {}

  static ErrorCode topic(int operation, String name, Access access) {
    return access.may(operation, Operations.TOPIC, name) ? ErrorCode.NONE : ErrorCode.TOPIC_AUTHORIZATION_FAILED;
  }

  /** Returns the error of a topic by name or by id. An unknown id is not refused: its error reveals nothing. */
  static ErrorCode topic(int operation, Cluster cluster, Uuid id, @Nullable String name, Access access) {
    if (id.equals(Uuid.ZERO)) {
      return name == null ? ErrorCode.NONE : topic(operation, name, access);
    }
    Topic topic = cluster.topics().of(id);
    return topic == null ? ErrorCode.NONE : topic(operation, topic.name(), access);
  }

  static ErrorCode group(int operation, @Nullable String name, Access access) {
    return access.may(operation, Operations.GROUP, name == null ? "" : name)
        ? ErrorCode.NONE
        : ErrorCode.GROUP_AUTHORIZATION_FAILED;
  }

  static ErrorCode transactionalId(int operation, String name, Access access) {
    return access.may(operation, Operations.TRANSACTIONAL_ID, name)
        ? ErrorCode.NONE
        : ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
  }

  static ErrorCode cluster(int operation, Access access) {
    return access.mayOnCluster(operation) ? ErrorCode.NONE : ErrorCode.CLUSTER_AUTHORIZATION_FAILED;
  }
}
