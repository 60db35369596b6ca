package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.jfr.JfrEvents;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.Transactions;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests ends in good order, by the application or a broker: they are reported, but not as errors. */
@SuppressWarnings("try") // an open resource may serve its block without being named in it
class CleanCloseTest extends AgainstScriptedBroker {
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final List<String> connections = new CopyOnWriteArrayList<>();
  private final CountDownLatch permission = new CountDownLatch(1);

  CleanCloseTest() {
    super(1, LATER);
    watch(client);
  }

  private void watch(KafkaClient watched) {
    watched.events().watchErrors(new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        errors.add(kind.code() + " " + where + ": " + cause);
      }
    });
    watched.events().watchConnections(new ConnectionListener() {
      @Override
      public void onEnded(String broker, int unanswered, KafkaException cause) {
        connections.add("ended: " + cause.getMessage());
      }

      @Override
      public void onClosed(String broker, String reason) {
        connections.add("closed: " + reason);
      }
    });
  }

  @AfterEach
  void letTheBrokerGo() {
    permission.countDown();
  }

  private void closeWithoutAnError(String... closed) {
    client.close();
    assertThat(errors).isEmpty();
    assertThat(connections).containsExactlyInAnyOrder(closed);
    KafkaStatistics statistics = new KafkaStatistics();
    client.statistics(statistics);
    assertThat(statistics.value(Statistic.ERRORS)).isZero();
    assertThat(statistics.value(Statistic.CONNECTIONS_ENDED)).isZero();
    assertThat(statistics.value(Statistic.CONNECTIONS_CLOSED)).isEqualTo(closed.length);
  }

  private ConsumerBuilder<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").subscribe(ScriptedBroker.TOPIC);
  }

  private static void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  @Test
  void clientWithAProducer() throws InterruptedException {
    producer(LATER).sendAndWait("k", "a");
    closeWithoutAnError("closed: the client was closed");
  }

  /** The fetch that waited at the broker was once reported as retried. */
  @Test
  void clientWithAFetchInFlight() throws InterruptedException {
    broker.always(ApiKey.FETCH, Script.SILENCE);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      consumer.poll(SOON, record -> {});
      broker.await(ApiKey.FETCH, 1);
    }
    closeWithoutAnError("closed: the client was closed", "closed: the client was closed");
  }

  /** The look-up was once reported as retried. */
  @Test
  void clientWithALookupInFlight() throws InterruptedException {
    broker.always(ApiKey.LIST_OFFSETS, Script.SILENCE);
    try (Consumer<String, String> consumer = consumer()) {
      consumer.assign(ScriptedBroker.TOPIC, 0);
      broker.await(ApiKey.LIST_OFFSETS, 1);
    }
    closeWithoutAnError("closed: the client was closed");
  }

  /** The request was once reported as failed. */
  @Test
  void clientWithARequestForMetadataInFlight() throws InterruptedException {
    producer(LATER).sendAndWait("k", "a");
    broker.always(ApiKey.METADATA, Script.SILENCE);
    int before = broker.requests(ApiKey.METADATA).size();
    ClientInternals.of(client).loop().execute(ClientInternals.of(client).cluster()::requestUpdate);
    broker.await(ApiKey.METADATA, before + 1);
    closeWithoutAnError("closed: the client was closed");
  }

  @Test
  void memberThatLeavesItsGroup() throws InterruptedException {
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = member().open()) {
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    assertThat(connections).containsExactly(
        "closed: the coordinator of group billing is not needed any more");
    closeWithoutAnError("closed: the coordinator of group billing is not needed any more",
        "closed: the client was closed", "closed: the client was closed");
  }

  @Test
  void memberThatStaysInTheGroupClosesWhileItsHeartbeatIsInFlight() throws InterruptedException {
    Consumer<String, String> consumer = member().autoCommit(false).open();
    pollUntil(consumer, () -> !consumer.assignment().isEmpty());
    broker.always(ApiKey.CONSUMER_GROUP_HEARTBEAT, Script.after(permission, Script.STANDARD));
    int beats = broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).size();
    broker.await(ApiKey.CONSUMER_GROUP_HEARTBEAT, beats + 1);
    consumer.close(SOON, GroupMembershipOperation.REMAIN_IN_GROUP);
    client.close();
    assertThat(errors).isEmpty();
  }

  @Test
  void classicMemberClosesWhileItsJoinIsPending() throws InterruptedException {
    broker.always(ApiKey.JOIN_GROUP, Script.after(permission, Script.STANDARD));
    Consumer<String, String> consumer = member().groupProtocol(GroupProtocol.CLASSIC).assignors(Assignors.range())
        .open();
    broker.await(ApiKey.JOIN_GROUP, 1);
    consumer.close(SOON, GroupMembershipOperation.REMAIN_IN_GROUP);
    client.close();
    assertThat(errors).isEmpty();
  }

  @Test
  void transactionsThatAreOver() throws InterruptedException {
    try (Transactions transactions = client.transactions("payments").maxBlock(LATER).open();
        Producer<String, String> producer = producer().transactions(transactions).open()) {
      transactions.begin();
      producer.send("a", "1");
      transactions.commit(LATER);
    }
    client.close();
    assertThat(errors).isEmpty();
    assertThat(connections).isNotEmpty().allMatch(recorded -> recorded.startsWith("closed: "));
  }

  @Test
  void idleConnectionThatTheClientCloses() throws InterruptedException {
    try (KafkaClient idle = KafkaClient.builder(address()).connectionsMaxIdle(Duration.ofMillis(100)).build();
        Producer<String, String> producer = idle.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      watch(idle);
      producer.sendAndWait(null, "a");
      ClientInternals.of(idle).cluster().waiters().await(() -> !connections.isEmpty(),
          System.nanoTime() + LATER.toNanos());
      assertThat(connections).containsExactly("closed: no request for 100 ms");
      producer.sendAndWait(null, "b");
    }
    assertThat(errors).isEmpty();
  }

  /** This was once an error, and the next attempt had to wait for a backoff. */
  @Test
  void idleConnectionThatTheBrokerCloses() throws InterruptedException {
    broker.closeIdleAfter(Duration.ofMillis(1_200));
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
      ClientInternals.of(client).cluster().waiters().await(() -> !connections.isEmpty(),
          System.nanoTime() + LATER.toNanos());
      assertThat(connections).containsExactly("closed: by the broker, while it was idle");
      assertThat(client.status().connections()).allSatisfy(c -> assertThat(c.lastError()).isNull());
      producer.sendAndWait("k", "b");
      assertThat(errors).isEmpty();
    }
  }

  /** A broker that restarts ends connections as well; that is worth an error. */
  @Test
  void connectionThatTheBrokerClosesInTheMiddleOfTrafficHasEnded() throws InterruptedException {
    broker.next(ApiKey.PRODUCE, Script.CUT);
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait("k", "a");
    }
    assertThat(errors).isNotEmpty().first().asString().startsWith("connection.ended");
    assertThat(connections).isNotEmpty().first().asString().startsWith("ended: ");
  }

  @Test
  void flightRecorderHasNoErrorOfACleanClose(@TempDir Path directory) throws InterruptedException, IOException {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording(); Registration unused = JfrEvents.watch(client)) {
      recording.start();
      producer(LATER).sendAndWait("k", "a");
      client.close();
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file)).extracting(e -> e.getEventType().getName())
        .contains("dev.decant.kafka.ConnectionClosed")
        .doesNotContain("dev.decant.kafka.Error", "dev.decant.kafka.ConnectionEnded");
  }
}
