package dev.decant.kafka.jfr;

import dev.decant.event.Registration;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.event.KafkaEvents;
import java.util.List;

/**
 * Writes what a client tells into the recordings of the JDK's Flight Recorder, as events named
 * {@code dev.decant.kafka.ConnectionReady}, {@code ConnectionClosed}, {@code ConnectionEnded},
 * {@code BatchAcknowledged}, {@code BatchRetried}, {@code BatchFailed}, {@code TransactionEnded},
 * {@code TransactionFailed}, {@code Fetched}, {@code Rebalanced} and {@code Error}, without stack traces. Each of them
 * is on unless a recording's settings say otherwise, such as {@code dev.decant.kafka.Fetched#enabled=false}. While no
 * recording wants an event, what is left of it is a call and two branches; nothing is built.
 *
 * <p>There is an event for a batch, a transaction or a fetch, never for a record.
 */
public final class JfrEvents {
  private JfrEvents() {}

  /**
   * Watches a client. Any thread, at any time.
   *
   * @param client is watched, with all its producers and consumers
   * @return ends it
   * @throws IllegalStateException when this Java runtime has no Flight Recorder
   */
  public static Registration watch(KafkaClient client) {
    return watch(client.events());
  }

  /**
   * Watches where listeners can be added.
   *
   * @param events tells the events
   * @return ends it
   * @throws IllegalStateException when this Java runtime has no Flight Recorder
   */
  public static Registration watch(KafkaEvents events) {
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      throw new IllegalStateException("this Java runtime was started without the module jdk.jfr; "
          + "add --add-modules jdk.jfr to its command line, or to jlink if it has none");
    }
    List<Registration> added = List.of(events.watchConnections(new ConnectionRecorder()),
        events.watchProducers(new ProducerRecorder()), events.watchConsumers(new ConsumerRecorder()),
        events.watchTransactions(new TransactionRecorder()), events.watchGroups(new GroupRecorder()),
        events.watchErrors(new ErrorRecorder()));
    return () -> added.forEach(Registration::close);
  }
}
