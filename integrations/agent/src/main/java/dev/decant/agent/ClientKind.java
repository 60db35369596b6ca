package dev.decant.agent;

import java.util.Optional;

/** The two classes of Apache's for which Decant has one. */
enum ClientKind {
  PRODUCER("org.apache.kafka.clients.producer", "Producer"), CONSUMER("org.apache.kafka.clients.consumer", "Consumer");

  /** The package of Decant's classes. */
  static final String DECANT_PACKAGE = "dev.decant.kafka.apache";

  /** The binary name of the interface that both classes implement. */
  final String interfaceName;
  /** The binary name of Apache's class. */
  final String apacheName;
  /** The internal name of Apache's class, as constant pools have it. */
  final String internalName;
  /** The simple name of Apache's class. */
  final String simpleName;
  /** The binary name of Decant's class. */
  final String decantName;

  ClientKind(String packageName, String simpleInterface) {
    interfaceName = packageName + "." + simpleInterface;
    simpleName = "Kafka" + simpleInterface;
    apacheName = packageName + "." + simpleName;
    internalName = apacheName.replace('.', '/');
    decantName = DECANT_PACKAGE + ".Decant" + simpleInterface;
  }

  static Optional<ClientKind> of(String internalName) {
    for (ClientKind kind : values()) {
      if (kind.internalName.equals(internalName)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
