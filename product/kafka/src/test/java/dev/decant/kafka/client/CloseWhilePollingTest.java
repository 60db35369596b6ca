package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.broker.ScriptedGroup;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.GroupMembershipOperation;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a client or consumer that one thread closes while another one polls. The pools are in checked mode: the test
 * fails if memory is given back too early, or not at all.
 */
class CloseWhilePollingTest extends AgainstScriptedBroker {
  private static final Duration FOR_EVER = Duration.ofDays(1);

  private final ScriptedGroup group = broker.state().group();
  private final List<String> recorded = new CopyOnWriteArrayList<>();
  private final CountDownLatch handling = new CountDownLatch(1);
  private final CountDownLatch mayReturn = new CountDownLatch(1);

  CloseWhilePollingTest() {
    super(1, LATER);
  }

  private Consumer<String, String> member() {
    return client.consumer(Serdes.string(), Serdes.string()).group("g").subscribe(ScriptedBroker.TOPIC)
        .offsetReset(OffsetReset.EARLIEST).fetchMaxWait(Duration.ofMillis(50)).rebalanceListener(
            new RebalanceListener() {
              @Override
              public void onRevoked(List<TopicPartition> partitions) {
                recorded.add("revoked " + partitions);
              }
            })
        .open();
  }

  private static <T> FutureTask<T> started(String name, Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().name(name).start(task);
    return task;
  }

  private FutureTask<Integer> pollAndWaitInTheHandler(Consumer<String, String> consumer) {
    return started("poller", () -> consumer.poll(FOR_EVER, record -> {
      handling.countDown();
      assertThat(mayReturn.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
      recorded.add("read " + record.value());
    }));
  }

  private static void awaitClosing(Consumer<String, String> consumer) throws InterruptedException {
    long deadline = System.nanoTime() + LATER.toNanos();
    String refusal = "";
    while (!refusal.equals("the consumer is closed")) {
      assertThat(deadline - System.nanoTime()).as("time left; %s", refusal).isPositive();
      try {
        consumer.poll(Duration.ZERO, record -> {});
      } catch (IllegalStateException e) {
        refusal = String.valueOf(e.getMessage());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPollThatWaitsEndsWithAnError(boolean closesClient) throws Exception {
    Consumer<String, String> consumer = member();
    FutureTask<Integer> poll = started("poller", () -> consumer.poll(FOR_EVER, record -> {}));
    broker.await(ApiKey.FETCH, 1);
    if (closesClient) {
      client.close();
    } else {
      consumer.close();
    }
    assertThatThrownBy(() -> poll.get(LATER.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
        .cause().isInstanceOf(IllegalStateException.class).hasMessage("the consumer is closed");
    assertThat(recorded).containsExactly("revoked [orders-0]");
    assertThat(((ConsumerGroupHeartbeatRequest) broker.requests(ApiKey.CONSUMER_GROUP_HEARTBEAT).getLast().body())
        .memberEpoch()).as("it has left").isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHandlerReadsItsRecordsToTheEndAndTheyAreCommitted(boolean closesClient) throws Exception {
    broker.state().store(0, "a", "b");
    Consumer<String, String> consumer = member();
    FutureTask<Integer> poll = pollAndWaitInTheHandler(consumer);
    assertThat(handling.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    FutureTask<Boolean> close = started("closer", () -> {
      if (closesClient) {
        client.close();
      } else {
        consumer.close();
      }
      return true;
    });
    awaitClosing(consumer);
    assertThat(recorded).as("the handler has its partition").isEmpty();
    mayReturn.countDown();
    assertThat(poll.get(LATER.toSeconds(), TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(close.get(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(recorded).containsExactly("read a", "read b", "revoked [orders-0]");
    assertThat(group.committed(0)).isEqualTo(2);
  }

  @Test
  void aHandlerThatDoesNotReturnKeepsItsMemoryUntilItDoes() throws Exception {
    broker.state().store(0, "a");
    Consumer<String, String> consumer = member();
    FutureTask<Integer> poll = pollAndWaitInTheHandler(consumer);
    assertThat(handling.await(LATER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThatIllegalStateException().isThrownBy(() -> consumer.close(SOON, GroupMembershipOperation.DEFAULT))
        .withMessageStartingWith("close: the poll of thread poller did not end within " + SOON);
    mayReturn.countDown();
    assertThat(poll.get(LATER.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(recorded).containsExactly("read a");
    assertThatIllegalStateException().isThrownBy(() -> consumer.poll(SOON, record -> {}))
        .withMessage("the consumer is closed");
    consumer.close();
  }
}
