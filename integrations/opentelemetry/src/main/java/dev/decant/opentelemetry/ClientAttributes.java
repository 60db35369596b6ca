package dev.decant.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;

/** The attributes of one client's metrics, by the names of the semantic conventions. */
final class ClientAttributes {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> CLIENT_ID = AttributeKey.stringKey("messaging.client.id");
  static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
  static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
  static final AttributeKey<String> GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> API = AttributeKey.stringKey("decant.kafka.api");

  private final Attributes all;

  ClientAttributes(String clientId) {
    all = Attributes.of(SYSTEM, "kafka", CLIENT_ID, clientId);
  }

  Attributes all() {
    return all;
  }

  Attributes with(AttributeKey<String> key, String value) {
    return all.toBuilder().put(key, value).build();
  }

  /** Returns the attributes of a group's consumers, or of consumers without a group if the name is empty. */
  Attributes ofGroup(String group) {
    return group.isEmpty() ? all : with(GROUP, group);
  }

  static Attributes withPartition(Attributes of, String topic, int partition) {
    return of.toBuilder().put(DESTINATION, topic).put(PARTITION, Integer.toString(partition)).build();
  }

  /** Returns the attributes of an operation. */
  Attributes operation(String name, String type) {
    return all.toBuilder().put(OPERATION_NAME, name).put(OPERATION_TYPE, type).build();
  }
}
