package dev.decant.kafka.apache;

import org.jspecify.annotations.Nullable;

/**
 * Guards against Confluent's parallel-consumer, which reads private fields of {@code KafkaProducer} and {@code
 * KafkaConsumer}. It treats any other producer as one without transactions, and any other consumer as one that does not
 * commit by itself.
 */
final class ParallelConsumer {
  private static final String PACKAGE = "io.confluent.parallelconsumer.";
  private static final String OPTIONS = PACKAGE + "ParallelConsumerOptions";

  private ParallelConsumer() {}

  /** Returns true if the library is there. */
  static boolean isPresent() {
    return sees(ParallelConsumer.class.getClassLoader()) || sees(Thread.currentThread().getContextClassLoader());
  }

  private static boolean sees(@Nullable ClassLoader loader) {
    String file = OPTIONS.replace('.', '/') + ".class";
    return loader != null && loader.getResource(file) != null;
  }

  /** Returns true if the library has called the current method of a Decant client. */
  private static boolean calls() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(PACKAGE)));
  }

  /**
   * Refuses to send a record for the library.
   *
   * @throws IllegalStateException if the library is the caller
   */
  static void refuseSend() {
    if (calls()) {
      throw new IllegalStateException("parallel-consumer takes a DecantProducer with transactional.id for one without"
          + " transactions; give it Apache's KafkaProducer, or leave out transactional.id");
    }
  }

  /**
   * Refuses a consumer that commits by itself.
   *
   * @throws IllegalStateException if the library is the caller
   */
  static void refuseAutoCommit() {
    if (calls()) {
      throw new IllegalStateException("parallel-consumer commits by itself, and does not see that this consumer does,"
          + " too; set enable.auto.commit=false");
    }
  }
}
