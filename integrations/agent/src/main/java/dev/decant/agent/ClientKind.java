package dev.decant.agent;

/** The two kinds of client: producer and consumer. */
enum ClientKind {
  PRODUCER("producer", "Producer"), CONSUMER("consumer", "Consumer");

  /** The package of Decant's classes. */
  static final String DECANT_PACKAGE = "dev.decant.kafka.apache";

  /** The name of the interface that both classes implement, behind the prefix of its kafka-clients. */
  final String interfaceName;
  /** The name of Apache's class, behind the prefix of its kafka-clients. */
  final String className;
  /** The simple name of Apache's class. */
  final String simpleName;
  /** The binary name of Decant's class. */
  final String decantName;
  /** The simple name of Decant's class. */
  final String decantSimpleName;

  ClientKind(String packageName, String simpleInterface) {
    interfaceName = ".clients." + packageName + "." + simpleInterface;
    simpleName = "Kafka" + simpleInterface;
    className = ".clients." + packageName + "." + simpleName;
    decantSimpleName = "Decant" + simpleInterface;
    decantName = DECANT_PACKAGE + "." + decantSimpleName;
  }
}
