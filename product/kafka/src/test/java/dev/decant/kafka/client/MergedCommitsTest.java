package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.consumer.CommitListener;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.decant.kafka.protocol.message.OffsetCommitRequest;
import dev.decant.kafka.protocol.message.OffsetCommitResponse;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests commits that wait while another one is pending. Each once had a request of its own, so a commit for each record
 * took minutes. The end of the consumer dropped all but the pending one (KAFKA-16599).
 */
class MergedCommitsTest extends AgainstScriptedBroker {
  private static final TopicPartition P0 = new TopicPartition(ScriptedBroker.TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(ScriptedBroker.TOPIC, 1);
  private static final int MANY = 2_000;

  private final ScriptedGroup group = broker.state().group();
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private final CountDownLatch permission = new CountDownLatch(1);

  MergedCommitsTest() {
    super(2, LATER);
  }

  @AfterEach
  void letTheBrokerGo() {
    permission.countDown();
  }

  /** Responds to the first commit. The commits so far have reached the loop by then, so they wait. */
  private void respondToTheFirst() {
    ClientInternals.of(client).runOnLoop(() -> {});
    permission.countDown();
  }

  private ConsumerBuilder<String, String> builder() {
    return client.consumer(Serdes.string(), Serdes.string()).offsetReset(OffsetReset.EARLIEST).autoCommit(false)
        .fetchMaxWait(Duration.ofMillis(100)).group("billing").subscribe(ScriptedBroker.TOPIC);
  }

  private Consumer<String, String> member() throws InterruptedException {
    Consumer<String, String> consumer = builder().open();
    pollUntil(consumer, () -> !consumer.assignment().isEmpty());
    return consumer;
  }

  private static void pollUntil(Consumer<String, String> consumer, BooleanSupplier enough) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    while (!enough.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      consumer.poll(Duration.ofMillis(50), record -> {});
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> at(TopicPartition partition, long offset) {
    return Map.of(partition, new OffsetAndMetadata(offset));
  }

  private CommitListener note(String name) {
    return (offsets, error) -> ends.add(error == null ? name : name + " " + error.code());
  }

  private List<String> sentOffsets() {
    return broker.requests(ApiKey.OFFSET_COMMIT).stream().map(r -> {
      List<String> offsets = new ArrayList<>();
      ((OffsetCommitRequest) r.body()).topics().forEach(t -> t.partitions()
          .forEach(p -> offsets.add(p.partitionIndex() + ":" + p.committedOffset())));
      return String.join(" ", offsets);
    }).toList();
  }

  /** Commits 1, and lets the test decide when the coordinator responds. */
  private void commitTheFirst(Consumer<String, String> consumer, Script then) throws InterruptedException {
    broker.next(ApiKey.OFFSET_COMMIT, Script.after(permission, then));
    consumer.commitAsync(at(P0, 1), note("a"));
    broker.await(ApiKey.OFFSET_COMMIT, 1);
  }

  @Test
  void whatWaitsGoesTogetherTheNewestWinsAndAllAreReportedInOrder() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      commitTheFirst(consumer, Script.STANDARD);
      consumer.commitAsync(at(P0, 2), note("b"));
      consumer.commitAsync(at(P1, 7), note("c"));
      consumer.commitAsync(Map.of(), note("nothing"));
      consumer.commitAsync(at(P0, 3), note("d"));
      respondToTheFirst();
      pollUntil(consumer, () -> ends.size() == 5);
      assertThat(ends).containsExactly("a", "b", "c", "nothing", "d");
      assertThat(sentOffsets()).containsExactly("0:1", "0:3 1:7");
    }
  }

  @Test
  void commitThatIsSentAgainTakesTheNewerOnesWithIt() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      commitTheFirst(consumer, Script.CUT);
      consumer.commitAsync(at(P0, 2), note("b"));
      respondToTheFirst();
      pollUntil(consumer, () -> ends.size() == 2);
      assertThat(ends).containsExactly("a", "b");
      assertThat(sentOffsets()).containsExactly("0:1", "0:2");
    }
  }

  /** A commit that is waited for comes after those that are not (KAFKA-16103). */
  @Test
  void aCommitForEachRecordCostsTwoRoundTripsAndTheLastOneIsStored() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      commitTheFirst(consumer, Script.STANDARD);
      for (int i = 2; i <= MANY; i++) {
        consumer.commitAsync(at(P0, i), note(""));
      }
      respondToTheFirst();
      consumer.commit(at(P0, MANY + 1));
      assertThat(group.committed(0)).isEqualTo(MANY + 1);
      pollUntil(consumer, () -> ends.size() == MANY);
      assertThat(ends).noneMatch(end -> end.contains("_"));
      assertThat(broker.requests(ApiKey.OFFSET_COMMIT)).hasSizeLessThan(5);
    }
  }

  /** All but the first were once dropped, and their listeners had an error without a code. */
  @Test
  void closeStoresWhatWaitsAndCallsEveryListener() throws InterruptedException {
    Consumer<String, String> consumer = member();
    commitTheFirst(consumer, Script.STANDARD);
    consumer.commitAsync(at(P0, 2), note("b"));
    consumer.commitAsync(at(P0, 3), null);
    consumer.commitInBackground(at(P1, 4), LATER, note("c"));
    respondToTheFirst();
    consumer.close();
    assertThat(group.committed(0)).isEqualTo(3);
    assertThat(group.committed(1)).isEqualTo(4);
    assertThat(ends).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void commitsOfListenersThatTheCloseCallsAreStoredToo() throws InterruptedException {
    List<Consumer<String, String>> opened = new ArrayList<>();
    Consumer<String, String> consumer = builder().rebalanceListener(new RebalanceListener() {
      @Override
      public void onRevoked(List<TopicPartition> partitions) {
        opened.getFirst().commitAsync(at(P0, 5), (offsets, error) -> {
          note("revoked").onCommitted(offsets, error);
          opened.getFirst().commitAsync(at(P1, 6), note("told"));
        });
      }
    }).open();
    opened.add(consumer);
    pollUntil(consumer, () -> !consumer.assignment().isEmpty());
    consumer.close();
    assertThat(ends).containsExactly("revoked", "told");
    assertThat(group.committed(0)).isEqualTo(5);
    assertThat(group.committed(1)).isEqualTo(6);
  }

  @Test
  void whatIsNotStoredInTimeFailsInOrderAndTheCodeSaysThatItWasClosed() throws InterruptedException {
    Consumer<String, String> consumer = member();
    commitTheFirst(consumer, Script.STANDARD);
    consumer.commitAsync(at(P0, 2), note("b"));
    consumer.close(Duration.ofMillis(50), GroupMembershipOperation.DEFAULT);
    assertThat(ends).containsExactly("a CLIENT_CLOSED", "b CLIENT_CLOSED");
    consumer.commitAsync(at(P0, 3), note("c"));
    assertThat(ends).as("a closed consumer").endsWith("c CLIENT_CLOSED");
    assertThatThrownBy(() -> consumer.commit(at(P0, 3))).isInstanceOfSatisfying(KafkaException.class,
        e -> assertThat(e.code()).isEqualTo(ErrorCode.CLIENT_CLOSED));
  }

  /** The second thread once waited for its own timeout, however short that of the other was. */
  @Test
  void theShorterTimeOutOfTwoThreadsThatCloseCounts() throws Exception {
    Consumer<String, String> consumer = member();
    commitTheFirst(consumer, Script.STANDARD);
    consumer.commitAsync(at(P0, 2), note("b"));
    FutureTask<Boolean> closed = new FutureTask<>(() -> {
      consumer.close(LATER.multipliedBy(10), GroupMembershipOperation.DEFAULT);
      return true;
    });
    Thread.ofPlatform().start(closed);
    long deadline = System.nanoTime() + LATER.toNanos();
    while (isOpen(consumer)) {
      assertThat(deadline - System.nanoTime()).as("time left").isPositive();
      Thread.onSpinWait();
    }
    consumer.close(Duration.ZERO, GroupMembershipOperation.DEFAULT);
    assertThat(closed.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(ends).containsExactly("a CLIENT_CLOSED", "b CLIENT_CLOSED");
  }

  private static boolean isOpen(Consumer<String, String> consumer) {
    try {
      consumer.subscribe(ScriptedBroker.TOPIC);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  @Test
  void memberThatWasRemovedSeesThatByTheCode() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      refuse(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, request -> true);
      consumer.commitAsync(at(P0, 1), note("a"));
      broker.await(ApiKey.OFFSET_COMMIT, 1);
      consumer.commitAsync(at(P0, 2), note("b"));
      broker.next(ApiKey.CONSUMER_GROUP_HEARTBEAT, exchange -> exchange
          .answer(new ConsumerGroupHeartbeatResponse().errorCode(ErrorCode.FENCED_MEMBER_EPOCH.code())::write));
      pollUntil(consumer, () -> ends.size() == 2);
      assertThat(ends).containsExactly("a FENCED_MEMBER_EPOCH", "b FENCED_MEMBER_EPOCH");
    }
  }

  @Test
  void memberThatDidNotPollSeesThatByTheCode() throws InterruptedException {
    try (Consumer<String, String> consumer = builder().maxPollInterval(Duration.ofMillis(400)).open()) {
      pollUntil(consumer, () -> !consumer.assignment().isEmpty());
      refuse(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, request -> true);
      CountDownLatch recorded = new CountDownLatch(2);
      for (String name : List.of("a", "b")) {
        consumer.commitInBackground(at(P0, 1), LATER, (offsets, error) -> {
          note(name).onCommitted(offsets, error);
          recorded.countDown();
        });
      }
      assertThat(recorded.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(ends).containsExactly("a POLL_INTERVAL_EXCEEDED", "b POLL_INTERVAL_EXCEEDED");
    }
  }

  private void refuse(ErrorCode code, Predicate<OffsetCommitRequest> which) {
    broker.always(ApiKey.OFFSET_COMMIT, exchange -> {
      OffsetCommitRequest request = (OffsetCommitRequest) exchange.request().body();
      OffsetCommitResponse answer = group.answer(request, which.test(request) ? code : ErrorCode.NONE);
      exchange.answer(answer::write);
    });
  }

  /** Metadata belongs to one commit: those before it are stored as if it did not exist. */
  @Test
  void metadataThatIsTooLargeFailsItsOwnCommitAlone() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      refuse(ErrorCode.OFFSET_METADATA_TOO_LARGE, request -> request.topics().stream()
          .anyMatch(t -> t.partitions().stream().anyMatch(p -> "long".equals(p.committedMetadata()))));
      commitTheFirst(consumer, Script.STANDARD);
      consumer.commitAsync(at(P0, 2), note("b"));
      consumer.commitAsync(Map.of(P0, new OffsetAndMetadata(3, -1, "long")), note("c"));
      respondToTheFirst();
      pollUntil(consumer, () -> ends.size() == 3);
      assertThat(ends).containsExactly("a", "b", "c OFFSET_METADATA_TOO_LARGE");
      assertThat(group.committed(0)).isEqualTo(2);
    }
  }

  @Test
  void commitsThatAreTooLargeTogetherGoOneByOne() throws InterruptedException {
    try (Consumer<String, String> consumer = member()) {
      refuse(ErrorCode.INVALID_COMMIT_OFFSET_SIZE, request -> request.topics().getFirst().partitions().size() > 1);
      commitTheFirst(consumer, Script.STANDARD);
      consumer.commitAsync(at(P0, 2), note("b"));
      consumer.commitAsync(at(P1, 3), note("c"));
      respondToTheFirst();
      pollUntil(consumer, () -> ends.size() == 3);
      assertThat(ends).containsExactly("a", "b", "c");
      assertThat(sentOffsets()).containsExactly("0:1", "0:2 1:3", "0:2", "1:3");
    }
  }
}
