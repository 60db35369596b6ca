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

  /** Of an operation whose name is that of its type. */
  Attributes operation(String name, String type) {
    return all.toBuilder().put(OPERATION_NAME, name).put(OPERATION_TYPE, type).build();
  }
}
