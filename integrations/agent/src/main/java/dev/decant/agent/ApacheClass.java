package dev.decant.agent;

/**
 * Apache's producer or consumer in one kafka-clients.
 *
 * @param prefix the package of that kafka-clients, {@code org.apache.kafka} unless it is a relocated copy
 */
record ApacheClass(ClientKind kind, String prefix) {
  /** The package of kafka-clients as it is published. */
  static final String PUBLISHED = "org.apache.kafka";

  /** Returns the class of kafka-clients that is not relocated. */
  static ApacheClass published(ClientKind kind) {
    return new ApacheClass(kind, PUBLISHED);
  }

  /** Returns the binary name. */
  String name() {
    return prefix + kind.className;
  }

  /** Returns the name as constant pools have it. */
  String internalName() {
    return name().replace('.', '/');
  }

  /** Returns the name of the class file. */
  String file() {
    return internalName() + ".class";
  }

  /** Returns the binary name of the interface that this class and Decant's implement. */
  String interfaceName() {
    return prefix + kind.interfaceName;
  }

  /** Returns the same class of the other kind. */
  ApacheClass other() {
    return new ApacheClass(kind == ClientKind.PRODUCER ? ClientKind.CONSUMER : ClientKind.PRODUCER, prefix);
  }
}
